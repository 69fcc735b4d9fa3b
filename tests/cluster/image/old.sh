#!/usr/bin/env bash
# The image of an earlier commit by that commit's own Dockerfile: localhost/sonde:TAG. old.sh COMMIT TAG
# Without PyTorch, CUDA and sentence-transformers, 6 GB that serving does not use: its lock is shortened, nothing else.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/../environment.sh"
tree="$CLUSTER/old-tree"
rm -rf "$tree" && mkdir -p "$tree"
git -C "$here/../../.." archive "$1" | tar -x -C "$tree"
awk '/^[a-z]/ {keep = !/^(torch|triton|nvidia-|cuda-|sentence-transformers)/} keep' "$tree/requirements.lock" > "$tree/short.lock"
mv "$tree/short.lock" "$tree/requirements.lock"
sed -i 's/--require-hashes -r requirements.lock/--require-hashes --no-deps -r requirements.lock/' "$tree/Dockerfile"
"$here/build.sh" "$tree" "$2"
rm -rf "$tree"
