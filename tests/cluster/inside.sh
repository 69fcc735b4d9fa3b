#!/usr/bin/env bash
# The inside of up.sh: process 1 of its own namespaces. The API server, its controllers, and the first node.
set -euo pipefail
API_IP=10.77.0.1 PODS=10.78.0.0/16 SERVICES=10.79.0.0/16 LOGS="$NODE/logs" keys="$NODE/keys"
. "$(dirname "${BASH_SOURCE[0]}")/node-parts.sh"
hostname node1
trap 'kill $(jobs -p) 2>/dev/null; wait' TERM INT
own_mounts "$NODE"
own_sysctls
mkdir -p "$keys" "$NODE/volumes"

# --- network: a node address on a veth that leads nowhere ----------------------------------------------------------
ip link set lo up
ip link add node0 type veth peer name nowhere
ip addr add "$API_IP/24" dev node0
for more in 2 3; do ip addr add "10.77.0.$more/24" dev node0; done  # of the servers beside the pods
ip link set node0 up && ip link set nowhere up
ip route add default via 10.77.0.254 dev node0
ip neigh add 10.77.0.254 lladdr 02:00:00:00:00:01 dev node0 nud permanent
pod_network 10.78.1.0/24
printf 'nameserver %s\n' "$API_IP" > /run/resolv.conf
printf '127.0.0.1 localhost\n%s node1\n' "$API_IP" > /run/hosts
mount --bind /run/resolv.conf /etc/resolv.conf && mount --bind /run/hosts /etc/hosts

# --- keys ----------------------------------------------------------------------------------------------------------
[ -s "$keys/sa.key" ] || openssl genrsa -out "$keys/sa.key" 2048 2>/dev/null
# By these the API server shows itself to the servers of further APIs (metrics, KEDA's).
[ -s "$keys/front.key" ] || openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=front -keyout "$keys/front.key" \
  -out "$keys/front.crt" 2>/dev/null
cat > "$keys/tokens.csv" <<TOKENS
admin-token,admin,admin,system:masters
node1-token,system:node:node1,node1,system:nodes
node2-token,system:node:node2,node2,system:nodes
TOKENS
for who in admin node1 node2; do kubeconfig "$keys/$who.yaml" "$who-token"; done

# --- the parts -----------------------------------------------------------------------------------------------------
export KUBECONFIG="$keys/admin.yaml"
containerd_of "$NODE"
run etcd "$BIN" etcd --data-dir "$NODE/etcd" --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
  --listen-peer-urls http://127.0.0.1:2380 --unsafe-no-fsync
run apiserver "$BIN" kube-apiserver --etcd-servers http://127.0.0.1:2379 --secure-port 6443 --bind-address 0.0.0.0 \
  --advertise-address "$API_IP" --cert-dir "$keys" --token-auth-file "$keys/tokens.csv" --authorization-mode Node,RBAC \
  --enable-admission-plugins NodeRestriction --service-cluster-ip-range "$SERVICES" --allow-privileged=true \
  --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$keys/sa.key" \
  --service-account-signing-key-file "$keys/sa.key" --kubelet-preferred-address-types InternalIP \
  --requestheader-client-ca-file "$keys/front.crt" --requestheader-username-headers X-Remote-User \
  --requestheader-group-headers X-Remote-Group --requestheader-extra-headers-prefix X-Remote-Extra- \
  --proxy-client-cert-file "$keys/front.crt" --proxy-client-key-file "$keys/front.key"
until "$BIN" kubectl get --raw /readyz >/dev/null 2>&1; do sleep 1; done
echo "$(date +%T) the API answers"
run controllers "$BIN" kube-controller-manager --kubeconfig "$keys/admin.yaml" --service-account-private-key-file "$keys/sa.key" \
  --use-service-account-credentials --leader-elect=false --root-ca-file "$keys/apiserver.crt" \
  --horizontal-pod-autoscaler-downscale-stabilization 30s
run scheduler "$BIN" kube-scheduler --kubeconfig "$keys/admin.yaml" --leader-elect=false
kubelet_and_proxy_of "$NODE" node1 "$API_IP" "$keys/node1.yaml"
# Names of services: a small resolver, fed from the API.
mkdir -p "$NODE/names"
run names dnsmasq --keep-in-foreground --no-resolv --no-hosts --listen-address "$API_IP" --bind-interfaces --pid-file= \
  --addn-hosts "$NODE/names" --local-ttl 2 --address=/#/ --user=root
names=$!
touch "$NODE/up"
while sleep 2; do
  "$BIN" kubectl get services -A -o go-template='{{range .items}}{{if and .spec.clusterIP (ne .spec.clusterIP "None")}}{{.spec.clusterIP}} {{.metadata.name}}.{{.metadata.namespace}}.svc.cluster.local {{.metadata.name}}.{{.metadata.namespace}}.svc{{"\n"}}{{end}}{{end}}' \
    > "$NODE/names.new" 2>/dev/null || continue
  cmp -s "$NODE/names.new" "$NODE/names/services" || { mv "$NODE/names.new" "$NODE/names/services"; kill -HUP "$names"; }
done
