#!/usr/bin/env bash
# A stand-in for the Dockerfile's base image, where no image registry is reached: Debian of the same release, with
# Debian's Python. 100 MB larger than the official image. With ARCH for another processor (foreign.sh); then it has
# Python's headers too, as the official image has, for the one package without a wheel there.
set -euo pipefail
. "$(dirname "$0")/../environment.sh"
name="localhost/python:3.11-slim-bookworm${ARCH:+-$ARCH}"
# A release needs a base of its own moment; for a trial any base will do.
made="$(buildah inspect --type image --format '{{.OCIv1.Created.Unix}}' "$name" 2>/dev/null || true)"
[ -z "$made" ] || [ "$made" != "${SOURCE_DATE_EPOCH:-$made}" ] || exit 0
# What the build machine trusts stays out: build.sh mounts it where the build needs it. apt keeps no archives; manual pages
# and translations stay out and folders of manual pages exist, as in the official image. Python's compiled files do not depend
# on the moments of their sources, which a reproducible build changes.
# shellcheck disable=SC2016
mmdebstrap --variant=minbase --mode=root \
  ${ARCH:+--architectures="$ARCH"} \
  --include="ca-certificates,python3,python3-pip,python3-venv,python-is-python3${ARCH:+,python3-dev}" \
  --customize-hook='rm -f "$1"/usr/lib/python3*/EXTERNALLY-MANAGED' \
  --customize-hook='cp /etc/apt/sources.list.d/debian.sources "$1"/etc/apt/sources.list.d/ && rm -f "$1"/etc/apt/sources.list' \
  --customize-hook='echo "DPkg::Post-Invoke { \"rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true\"; };" > "$1"/etc/apt/apt.conf.d/clean' \
  --customize-hook='echo "Dir::Cache::pkgcache \"\"; Dir::Cache::srcpkgcache \"\";" >> "$1"/etc/apt/apt.conf.d/clean' \
  --customize-hook='rm -rf "$1"/var/cache/apt/* "$1"/var/log/* "$1"/var/cache/ldconfig/aux-cache' \
  --customize-hook='chroot "$1" python3 -m compileall -q -f --invalidation-mode unchecked-hash /usr/lib/python3 /usr/lib/python3.11 || true' \
  --customize-hook='mkdir -p "$1"/usr/share/man/man1 "$1"/usr/share/man/man7' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  bookworm "$IMAGES/base.tar"
container="$(buildah from ${ARCH:+--arch "$ARCH"} scratch)"
buildah add --quiet "$container" "$IMAGES/base.tar" / >/dev/null
# uv and pip take Debian's certificates; no name of a package index is in the image.
buildah config --env SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt --env PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
  --env UV_LINK_MODE=copy --cmd python3 "$container"
buildah commit --quiet --rm ${SOURCE_DATE_EPOCH:+--timestamp "$SOURCE_DATE_EPOCH"} "$container" "$name" >/dev/null
rm "$IMAGES/base.tar"
