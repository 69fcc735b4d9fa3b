#!/usr/bin/env bash
# A second node beside the first, in namespaces of its own: second-node.sh, by in.sh. It ends with the first.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export TWO="$NODE/two" API_IP=10.77.0.1 PODS=10.78.0.0/16 LOGS="$NODE/two/logs" keys="$NODE/keys"
MY_IP=10.77.9.2
if [ "${1:-}" != inside ]; then
  mkdir -p "$TWO"
  # The images that the first node has; before its first pod. Its collector may remove what the import left meanwhile.
  copied() { rm -rf "$TWO/containerd" && cp -a "$NODE/containerd" "$TWO/containerd"; }
  copied || copied || copied
  for folder in /sys/fs/cgroup/*; do  # a control group below the first node's, per hierarchy (v1)
    mkdir -p "$folder/node2"
    if [ -e "$folder/cpuset.cpus" ]; then
      cat "$folder/cpuset.cpus" > "$folder/node2/cpuset.cpus"
      cat "$folder/cpuset.mems" > "$folder/node2/cpuset.mems"
    fi
    echo $$ > "$folder/node2/cgroup.procs"
  done
  exec unshare --mount --net --uts --ipc --cgroup bash "$here/second-node.sh" inside
fi
. "$here/node-parts.sh"
hostname node2
echo $$ > "$TWO/pid"
own_mounts "$TWO"
own_sysctls
ip link set lo up
# A wire to the first node, by which everything but this node's own pods is reached.
ip link add node0 type veth peer name to-node2
ip link set to-node2 netns 1
nsenter --target 1 --net ip addr add 10.77.9.1/30 dev to-node2
nsenter --target 1 --net ip link set to-node2 up
nsenter --target 1 --net ip route add 10.78.2.0/24 via "$MY_IP"
ip addr add "$MY_IP/30" dev node0
ip link set node0 up
ip route add default via 10.77.9.1
pod_network 10.78.2.0/24
containerd_of "$TWO"
kubelet_and_proxy_of "$TWO" node2 "$MY_IP" "$keys/node2.yaml"
wait
