#!/usr/bin/env bash
# The image of an earlier commit by that commit's own Dockerfile: localhost/sonde:TAG. old.sh COMMIT TAG
# 0.1.0 without PyTorch, CUDA and sentence-transformers, 6 GB that serving does not use: its lock is shortened, and its models
# are prepared here, by its own code, with the PyTorch of this checkout's environment.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/../environment.sh"
# The commit of a tag does not change. `buildah rmi` it where this script has.
[ -z "$(buildah images --quiet "localhost/sonde:$2" 2>/dev/null)" ] || exit 0
tree="$CLUSTER/old-tree"
rm -rf "$tree" && mkdir -p "$tree"
git -C "$here/../../.." archive "$1" | tar -x -C "$tree"
if [ -f "$tree/sonde/prepare_models.py" ]; then  # 0.1.0
  awk '/^[a-z]/ {keep = !/^(torch|triton|nvidia-|cuda-|sentence-transformers)/} keep' "$tree/requirements.lock" > "$tree/short.lock"
  mv "$tree/short.lock" "$tree/requirements.lock"
  (cd "$tree" && SONDE_MODELS__FOLDER="$tree/prepared-models" "$here/../../../.venv/bin/python" -m sonde.prepare_models)
  sed -i -e 's/--require-hashes -r requirements.lock/--require-hashes --no-deps -r requirements.lock/' \
    -e 's/^    SONDE_MODELS__FOLDER=.*prepare_models$/    true/' -e '/^RUN uv pip install.*--no-deps \./i COPY prepared-models /opt/models' "$tree/Dockerfile"
fi
"$here/build.sh" "$tree" "$2"
rm -rf "$tree"
