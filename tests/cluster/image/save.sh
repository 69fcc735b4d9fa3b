#!/usr/bin/env bash
# An image as a folder in OCI's layout: save.sh NAME FOLDER
set -euo pipefail
. "$(dirname "$0")/../environment.sh"
buildah push --quiet --format oci "$1" "oci:$2:$1"
