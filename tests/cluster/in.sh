#!/usr/bin/env bash
# Runs a command inside the cluster's namespaces: in.sh kubectl get pods -A
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/environment.sh"
unset TMPDIR
KUBECONFIG="$NODE/keys/admin.yaml" PATH="$(dirname "$BIN"):$PATH"
export KUBECONFIG PATH
outside="$(cat "$NODE/pid.outside")"
inside="$(cut -d" " -f1 < "/proc/$outside/task/$outside/children")"
# Into its control groups too: the memory and processor time of what runs beside the pods count there.
while IFS=: read -r _ controllers path; do
  folder="/sys/fs/cgroup/${controllers#name=}$path"
  if [ -n "$controllers" ] && [ -d "$folder" ]; then echo $$ > "$folder/cgroup.procs"; fi
done <<< "$(cat "/proc/$outside/cgroup")"
exec nsenter -t "$inside" -m -n -p -u -i -C --wd="$PWD" "$@"
