#!/usr/bin/env bash
# Everything on one machine with 4 GB: `sonde up`, 20,081 records with vectors, searches. Root, cgroup 1 or 2, no swap.
# lab/load/small_machine.sh FOLDER CATALOGUES [LIMIT]: prints what is used after each part, and whether the kernel killed one.
set -eu
folder=$1 catalogues=$2 limit=${3:-4G}
sonde=$(dirname "$0")/../../.venv/bin/sonde
if [ -d /sys/fs/cgroup/memory ]; then
    group=/sys/fs/cgroup/memory/sonde-small; mkdir -p $group
    echo "$limit" > $group/memory.limit_in_bytes; echo $$ > $group/tasks
    now=memory.usage_in_bytes most=memory.max_usage_in_bytes held="^total_rss " kills=memory.oom_control
else
    group=/sys/fs/cgroup/sonde-small; mkdir -p $group
    echo "$limit" > $group/memory.max; echo $$ > $group/cgroup.procs
    now=memory.current most=memory.peak held="^anon " kills=memory.events
fi
mib() { echo $(($1 / 1048576)); }
used() {
    echo "$1: $(mib "$(cat $group/$now)") MiB with files in memory (most $(mib "$(cat $group/$most)")), held" \
        "$(mib "$(grep "$held" $group/memory.stat | cut -d' ' -f2)") MiB, $(grep "oom_kill " $group/$kills)"
}
mkdir -p "$folder"
export SONDE_STACK__FOLDER=$folder/stack SONDE_API__PORT=${SONDE_API__PORT:-20480}
export SONDE_ELASTICSEARCH__PORT=${SONDE_ELASTICSEARCH__PORT:-20481} SONDE_BROKER__PORT=${SONDE_BROKER__PORT:-20483}
export SONDE_ELASTICSEARCH__TRANSPORT_PORT=${SONDE_ELASTICSEARCH__TRANSPORT_PORT:-20482}
trap '$sonde down > /dev/null' EXIT
$sonde up
used up
for part in first:ncar_eol_9206 second:ncar_rda_1669 third:ncar_eol_9206; do
    $sonde harvest "$catalogues/${part#*:}.tar.gz" --source "${part%%:*}" --json > "$folder/${part%%:*}.json"
    used "harvested ${part%%:*}"
done
for number in $(seq 60); do
    curl -s -o /dev/null -w "%{http_code}\n" "http://127.0.0.1:$SONDE_API__PORT/search?q=ocean+temperature+$number" &
    [ $((number % 4)) = 0 ] && wait
done | sort | uniq -c
used "60 searches, four at once"
$sonde status
