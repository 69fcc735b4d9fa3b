#!/usr/bin/env bash
# An image from where it was built into the node: load.sh NAME
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/../environment.sh"
podman save --quiet --format docker-archive "$1" | "$here/../in.sh" ctr -n k8s.io images import -
