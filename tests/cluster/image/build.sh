#!/usr/bin/env bash
# The project's Dockerfile as it is, without a Docker daemon: localhost/sonde:TAG. build.sh CHECKOUT TAG [EXTRA]
# With SOURCE_DATE_EPOCH every file and the image have that moment. VERSION and REVISION become its labels.
# The certificates that this machine trusts are mounted, for the package indexes, and do not get into the image.
# With ARCH (arm64) for that processor, emulated by Debian's packages qemu-user-static and arch-test.
# Downloads are kept in the caches of uv and Maven, layers in $SONDE_CLUSTER/images.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/../environment.sh"
[ -z "${ARCH:-}" ] || "$here/foreign.sh" "$ARCH"
"$here/base.sh"
mkdir -p "$HOME/.cache/uv" "$HOME/.m2"
given=(--build-arg "EXTRA=${3:-}")
# The history names intermediate images by ids that differ from build to build.
[ -z "${SOURCE_DATE_EPOCH:-}" ] || given+=(--timestamp "$SOURCE_DATE_EPOCH" --omit-history)
[ -z "${VERSION:-}" ] || given+=(--build-arg "VERSION=$VERSION")
[ -z "${ARCH:-}" ] || given+=(--platform "linux/$ARCH" --build-arg "PYTHON=3.11-slim-bookworm-$ARCH")
[ -z "${REVISION:-}" ] || given+=(--build-arg "REVISION=$REVISION")
buildah bud --isolation chroot --network host --layers --pull-never --format docker "${given[@]}" \
  -v /etc/ssl/certs:/etc/ssl/certs:O -v "$HOME/.cache/uv:/root/.cache/uv:O" -v "$HOME/.m2:/root/.m2:O" -t "localhost/sonde:$2" "$1"
[ -n "${SOURCE_DATE_EPOCH:-}${ARCH:-}" ] || "$here/small-images.sh"  # a release is not run here
