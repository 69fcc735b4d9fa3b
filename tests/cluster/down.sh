#!/usr/bin/env bash
# Ends what up.sh began: its first process, and with it every process, mount and interface; then the control groups.
# down.sh --remove also removes the node's folder; the images stay.
set -euo pipefail
. "$(dirname "$0")/environment.sh"
if outside="$(cat "$NODE/pid.outside" 2>/dev/null)"; then
  kill -KILL "$outside" 2>/dev/null || true  # unshare ignores SIGTERM while it waits; its child dies with it
  for _ in $(seq 50); do kill -0 "$outside" 2>/dev/null || break; sleep 0.2; done
  rm -f "$NODE/pid.outside"
  sleep 1
fi
for own in $(find /sys/fs/cgroup -maxdepth 4 -type d -name sonde-cluster); do
  find "$own" -depth -type d -exec rmdir {} \; 2>/dev/null || true
done
if [ "${1:-}" = --remove ]; then rm -rf --one-file-system "$NODE"; fi
