# Read by the scripts that are a node: its mounts, its sysctls, its network of pods, and its containerd, kubelet and proxy.
# NODE: the folder of the cluster; keys: of its keys. The first argument of each is the node's own folder or what it says.

own_mounts() {  # FOLDER: in a mount namespace and a control group of its own
  mount --make-rslave /
  mount -t sysfs sysfs /sys
  mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
  while read -r name _ _ on; do
    if [ "${name:0:1}" = "#" ] || [ "$on" != 1 ]; then continue; fi
    mkdir -p "/sys/fs/cgroup/$name"
    mount -t cgroup -o "$name" cgroup "/sys/fs/cgroup/$name" 2>/dev/null || rmdir "/sys/fs/cgroup/$name"
  done < /proc/cgroups
  mkdir -p /sys/fs/cgroup/systemd && mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
  for folder in kubelet containerd log-pods log-containers logs; do mkdir -p "$1/$folder"; done
  mount -t tmpfs tmpfs /run
  mkdir -p /run/lock /var/lib/kubelet /var/lib/cni /etc/cni/net.d /var/log/pods /var/log/containers
  mount --bind "$1/kubelet" /var/lib/kubelet
  mount --bind "$1/log-pods" /var/log/pods
  mount --bind "$1/log-containers" /var/log/containers
  mount -t tmpfs tmpfs /var/lib/cni
  mount -t tmpfs tmpfs /etc/cni
  mount --make-rshared /
}

own_sysctls() {  # The kubelet would set these for the whole machine. It finds what it wants, in files of our own.
  mkdir -p /run/sysctl
  while read -r name value; do
    file="/run/sysctl/${name//\//-}"
    echo "$value" > "$file"
    mount --bind "$file" "/proc/sys/$name"
  done <<SYSCTLS
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
SYSCTLS
}

pod_network() {  # SUBNET of this node's pods
  echo 1 > /proc/sys/net/ipv4/ip_forward
  echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables 2>/dev/null || true
  iptables -t nat -A PREROUTING -m comment --comment probe >/dev/null
  iptables -t nat -D PREROUTING -m comment --comment probe
  mkdir -p /etc/cni/net.d
  cat > /etc/cni/net.d/10-bridge.conflist <<CNI
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "$1"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
CNI
}

kubeconfig() {  # FILE TOKEN
  cat > "$1" <<CONFIG
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://$API_IP:6443", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: $2}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
CONFIG
}

run() { local name="$1"; shift; "$@" > "$LOGS/$name.log" 2>&1 & echo "$(date +%T) $name $!"; }

containerd_of() {  # FOLDER
  cat > "$1/containerd.toml" <<TOML
version = 2
root = "$1/containerd"
state = "/run/containerd"
oom_score = 0
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
TOML
  run containerd containerd --config "$1/containerd.toml"
}

kubelet_and_proxy_of() {  # FOLDER NAME IP KUBECONFIG
  cat > "$1/kubelet.yaml" <<KUBELET
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
clusterDomain: cluster.local
clusterDNS: [$API_IP]
resolvConf: /run/resolv.conf
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
evictionHard: {memory.available: 200Mi, nodefs.available: 1Gi, imagefs.available: 1Gi}
KUBELET
  cat > "$1/proxy.yaml" <<PROXY
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $keys/admin.yaml}
mode: iptables
clusterCIDR: $PODS
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
iptables: {minSyncPeriod: 0s}
PROXY
  printf 'nameserver %s\n' "$API_IP" > /run/resolv.conf
  run proxy "$BIN" kube-proxy --config "$1/proxy.yaml" --hostname-override "$2"
  run kubelet "$BIN" kubelet --config "$1/kubelet.yaml" --kubeconfig "$4" --hostname-override "$2" \
    --node-ip "$3" --root-dir /var/lib/kubelet -v 2
}
