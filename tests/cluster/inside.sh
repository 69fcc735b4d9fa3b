#!/usr/bin/env bash
# The inside of up.sh: process 1 of its own namespaces.
set -euo pipefail
NODE_IP=10.77.0.1 PODS=10.78.0.0/16 SERVICES=10.79.0.0/16
hostname node1
trap 'kill $(jobs -p) 2>/dev/null; wait' TERM INT

# --- mounts -------------------------------------------------------------------------------------------------------
mount --make-rslave /
mount -t sysfs sysfs /sys
mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
while read -r name _ _ on; do
  if [ "${name:0:1}" = "#" ] || [ "$on" != 1 ]; then continue; fi
  mkdir -p "/sys/fs/cgroup/$name"
  mount -t cgroup -o "$name" cgroup "/sys/fs/cgroup/$name" 2>/dev/null || rmdir "/sys/fs/cgroup/$name"
done < /proc/cgroups
mkdir -p /sys/fs/cgroup/systemd && mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
for folder in kubelet containerd log-pods log-containers cni volumes; do mkdir -p "$NODE/$folder"; done
mount -t tmpfs tmpfs /run
mkdir -p /run/lock /var/lib/kubelet /var/lib/cni /etc/cni/net.d /var/log/pods /var/log/containers
mount --bind "$NODE/kubelet" /var/lib/kubelet
mount --bind "$NODE/log-pods" /var/log/pods
mount --bind "$NODE/log-containers" /var/log/containers
mount -t tmpfs tmpfs /var/lib/cni
mount -t tmpfs tmpfs /etc/cni
mount --make-rshared /
# The kubelet would set these for the whole machine. It finds what it wants, in files of our own, and writes nothing.
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

# --- network: a node address on a veth that leads nowhere ----------------------------------------------------------
ip link set lo up
ip link add node0 type veth peer name nowhere
ip addr add "$NODE_IP/24" dev node0
ip link set node0 up && ip link set nowhere up
ip route add default via 10.77.0.254 dev node0
ip neigh add 10.77.0.254 lladdr 02:00:00:00:00:01 dev node0 nud permanent
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables 2>/dev/null || true
iptables -t nat -A PREROUTING -m comment --comment probe >/dev/null
iptables -t nat -D PREROUTING -m comment --comment probe
mkdir -p /etc/cni/net.d
cat > /etc/cni/net.d/10-bridge.conflist <<CNI
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "$PODS"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
CNI
printf 'nameserver %s\n' "$NODE_IP" > /run/resolv.conf
printf '127.0.0.1 localhost\n%s node1\n' "$NODE_IP" > /run/hosts
mount --bind /run/resolv.conf /etc/resolv.conf && mount --bind /run/hosts /etc/hosts

# --- keys and configurations ---------------------------------------------------------------------------------------
keys="$NODE/keys"; mkdir -p "$keys" "$NODE/logs"
[ -s "$keys/sa.key" ] || openssl genrsa -out "$keys/sa.key" 2048 2>/dev/null
cat > "$keys/tokens.csv" <<TOKENS
admin-token,admin,admin,system:masters
node-token,system:node:node1,node1,system:nodes
TOKENS
for who in admin node; do
  cat > "$keys/$who.yaml" <<CONFIG
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://$NODE_IP:6443", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: $who-token}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
CONFIG
done
cat > "$NODE/containerd.toml" <<TOML
version = 2
root = "$NODE/containerd"
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
cat > "$NODE/kubelet.yaml" <<KUBELET
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
clusterDomain: cluster.local
clusterDNS: [$NODE_IP]
resolvConf: /run/resolv.conf
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
evictionHard: {memory.available: 200Mi, nodefs.available: 1Gi, imagefs.available: 1Gi}
KUBELET
cat > "$NODE/proxy.yaml" <<PROXY
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $keys/admin.yaml}
mode: iptables
clusterCIDR: $PODS
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
iptables: {minSyncPeriod: 0s}
PROXY

# --- the parts -----------------------------------------------------------------------------------------------------
run() { local name="$1"; shift; "$@" > "$NODE/logs/$name.log" 2>&1 & echo "$(date +%T) $name $!"; }
export KUBECONFIG="$keys/admin.yaml"
run containerd containerd --config "$NODE/containerd.toml"
run etcd "$BIN" etcd --data-dir "$NODE/etcd" --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
  --listen-peer-urls http://127.0.0.1:2380 --unsafe-no-fsync
run apiserver "$BIN" kube-apiserver --etcd-servers http://127.0.0.1:2379 --secure-port 6443 --bind-address 0.0.0.0 \
  --advertise-address "$NODE_IP" --cert-dir "$keys" --token-auth-file "$keys/tokens.csv" --authorization-mode Node,RBAC \
  --enable-admission-plugins NodeRestriction --service-cluster-ip-range "$SERVICES" --allow-privileged=true \
  --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$keys/sa.key" \
  --service-account-signing-key-file "$keys/sa.key" --kubelet-preferred-address-types InternalIP
until "$BIN" kubectl get --raw /readyz >/dev/null 2>&1; do sleep 1; done
echo "$(date +%T) the API answers"
run controllers "$BIN" kube-controller-manager --kubeconfig "$keys/admin.yaml" --service-account-private-key-file "$keys/sa.key" \
  --use-service-account-credentials --leader-elect=false --root-ca-file "$keys/apiserver.crt"
run scheduler "$BIN" kube-scheduler --kubeconfig "$keys/admin.yaml" --leader-elect=false
run proxy "$BIN" kube-proxy --config "$NODE/proxy.yaml" --hostname-override node1
run kubelet "$BIN" kubelet --config "$NODE/kubelet.yaml" --kubeconfig "$keys/node.yaml" --hostname-override node1 \
  --node-ip "$NODE_IP" --root-dir /var/lib/kubelet -v 2
# Names of services: a small resolver, fed from the API.
mkdir -p "$NODE/names"
run names dnsmasq --keep-in-foreground --no-resolv --no-hosts --listen-address "$NODE_IP" --bind-interfaces --pid-file= \
  --addn-hosts "$NODE/names" --local-ttl 2 --address=/#/ --user=root
names=$!
touch "$NODE/up"
while sleep 2; do
  "$BIN" kubectl get services -A -o go-template='{{range .items}}{{if ne .spec.clusterIP "None"}}{{.spec.clusterIP}} {{.metadata.name}}.{{.metadata.namespace}}.svc.cluster.local {{.metadata.name}}.{{.metadata.namespace}}.svc{{"\n"}}{{end}}{{end}}' \
    > "$NODE/names.new" 2>/dev/null || continue
  cmp -s "$NODE/names.new" "$NODE/names/services" || { mv "$NODE/names.new" "$NODE/names/services"; kill -HUP "$names"; }
done
