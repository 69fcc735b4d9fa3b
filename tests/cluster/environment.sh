# Read by the scripts of this folder: where things lie. SONDE_CLUSTER: the folder of everything; SONDE_KUBERNETES: the binary.
CLUSTER="${SONDE_CLUSTER:-/tmp/sonde-cluster}"
export NODE="$CLUSTER/node" IMAGES="$CLUSTER/images"
export BIN="${SONDE_KUBERNETES:-}"
mkdir -p "$NODE" "$IMAGES/tmp"
printf '[storage]\ndriver = "overlay"\ngraphroot = "%s"\nrunroot = "%s"\n' "$IMAGES/storage" "$IMAGES/run" > "$IMAGES/storage.conf"
export CONTAINERS_STORAGE_CONF="$IMAGES/storage.conf" TMPDIR="$IMAGES/tmp"
CONTAINERS_CONF="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/image/containers.conf"
export CONTAINERS_CONF
