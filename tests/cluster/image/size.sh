#!/usr/bin/env bash
# The size of an image and of its layers: size.sh NAME
set -euo pipefail
. "$(dirname "$0")/../environment.sh"
podman image inspect "$1" --format "$1: {{.Size}} bytes"
podman history "$1" --format '{{.Size}} {{.CreatedBy}}' | grep -v '^0 B'
