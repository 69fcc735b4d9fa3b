#!/usr/bin/env bash
# The images that compose.yaml names and no registry gives here, into a Docker daemon: compose-images.sh ELASTICSEARCH JAVA
# Stand-ins with the entry points, users and folders of the official images: Elasticsearch's own files as `sonde up` starts
# them, Debian's Redis under the names of Valkey. The daemon is that of DOCKER_HOST.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/../environment.sh"
c="$(buildah from --pull-never localhost/python:3.11-slim-bookworm)"
buildah run --isolation chroot --network host "$c" -- sh -ec '
  apt-get update -qq && apt-get install -y -qq --no-install-recommends curl tini >/dev/null && rm -rf /var/lib/apt/lists/*
  ln -s /usr/bin/tini /bin/tini 2>/dev/null || true
  useradd --uid 1000 --gid 0 --home-dir /usr/share/elasticsearch elasticsearch'
buildah add --quiet --chown 1000:0 "$c" "$1" /usr/share/elasticsearch >/dev/null
buildah add --quiet "$c" "$2" /opt/java >/dev/null
buildah add --quiet --chmod 755 "$c" "$here/elasticsearch-entrypoint.py" /usr/local/bin/docker-entrypoint.sh >/dev/null
buildah run --isolation chroot "$c" -- install -d -o 1000 -g 0 /usr/share/elasticsearch/data /usr/share/elasticsearch/logs
buildah config --user 1000:0 --workingdir /usr/share/elasticsearch --env ES_JAVA_HOME=/opt/java "$c"
buildah commit --quiet --rm "$c" localhost/elasticsearch:compose >/dev/null
"$here/load-docker.sh" localhost/elasticsearch:compose "$(sed -n 's/.*image: &elasticsearch //p' "$here/../../../compose.yaml")"
# The official image leaves root before the server starts.
c="$(buildah from --pull-never localhost/valkey:9.0)"
buildah config --user 999:1000 "$c"
buildah commit --quiet --rm "$c" localhost/valkey:compose >/dev/null
"$here/load-docker.sh" localhost/valkey:compose "$(sed -n 's/^ *image: \(valkey.*\)/\1/p' "$here/../../../compose.yaml")"
