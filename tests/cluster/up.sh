#!/usr/bin/env bash
# A whole Kubernetes on this machine, shut into its own namespaces: network, mounts, processes, control groups.
# Touches nothing outside: no port, no sysctl, no iptables rule, no folder but $SONDE_CLUSTER. All of it ends with this process.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/environment.sh"
rm -f "$NODE/up"
# A control group of our own below the one that we are in, per hierarchy (v1): the pods' groups come below it.
while IFS=: read -r _ controllers path; do
  folder="/sys/fs/cgroup/${controllers#name=}"
  [ -n "$controllers" ] && [ -d "$folder" ] || continue
  own="$folder${path%/}/sonde-cluster"
  mkdir -p "$own"
  if [ "$controllers" = cpuset ]; then  # empty in a new group, and then nobody may enter
    cat "$own/../cpuset.cpus" > "$own/cpuset.cpus"
    cat "$own/../cpuset.mems" > "$own/cpuset.mems"
  fi
  echo $$ > "$own/cgroup.procs"
done <<< "$(cat /proc/self/cgroup)"  # read at once: we are moving meanwhile
echo $$ > "$NODE/pid.outside"
exec unshare --mount --net --pid --uts --ipc --cgroup --fork --kill-child --mount-proc bash "$here/inside.sh"
