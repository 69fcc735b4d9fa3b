#!/usr/bin/env bash
# An image into the Docker daemon of DOCKER_HOST: load-docker.sh IMAGE [NAME]
set -euo pipefail
. "$(dirname "$0")/../environment.sh"
buildah push --quiet "$1" "docker-archive:$IMAGES/tmp/image.tar:${2:-$1}"
docker load --quiet --input "$IMAGES/tmp/image.tar"
rm "$IMAGES/tmp/image.tar"
