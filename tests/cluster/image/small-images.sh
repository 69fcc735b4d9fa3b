#!/usr/bin/env bash
# The two images that pods need beside Sonde's, made of Debian's packages: pause, and a stand-in for Valkey's.
set -euo pipefail
. "$(dirname "$0")/../environment.sh"
valkey=localhost/valkey:9.0
[ -z "$(buildah images -q "$valkey" 2>/dev/null)" ] || exit 0
# pause: a static binary that does nothing (podman uses it for the same).
c="$(buildah from scratch)"
buildah add --quiet "$c" "$(command -v catatonit)" /pause >/dev/null
buildah config --entrypoint '["/pause", "-P"]' --user 65535:65535 "$c"
buildah commit --quiet --rm "$c" localhost/pause:1 >/dev/null
# Valkey: Debian's Redis 7.0 under the names, the user (999) and the working folder of the official image.
c="$(buildah from --pull-never localhost/python:3.11-slim-bookworm)"
buildah run --isolation chroot --network host "$c" -- sh -ec '
  apt-get update -qq && apt-get install -y -qq --no-install-recommends redis-server >/dev/null && rm -rf /var/lib/apt/lists/*
  ln -s /usr/bin/redis-server /usr/local/bin/valkey-server
  ln -s /usr/bin/redis-cli /usr/local/bin/valkey-cli
  install -d -o 999 -g 999 /data'
buildah config --workingdir /data --cmd valkey-server "$c"
buildah commit --quiet --rm "$c" "$valkey" >/dev/null
