#!/usr/bin/env bash
# The project's Dockerfile as it is, without a Docker daemon: localhost/sonde:TAG. build.sh CHECKOUT TAG [EXTRA]
# Downloads are kept in the caches of uv and Maven, layers in $SONDE_CLUSTER/images.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/../environment.sh"
"$here/base.sh"
mkdir -p "$HOME/.cache/uv" "$HOME/.m2"
buildah bud --isolation chroot --network host --layers --pull-never --format docker --build-arg "EXTRA=${3:-}" \
  -v "$HOME/.cache/uv:/root/.cache/uv:O" -v "$HOME/.m2:/root/.m2:O" -t "localhost/sonde:$2" "$1"
"$here/small-images.sh"
