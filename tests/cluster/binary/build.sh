#!/usr/bin/env bash
# etcd, API server, controllers, scheduler, kubelet, proxy and kubectl as one binary, from Go modules alone: 12 minutes of
# processor time, 2.4 GB of memory, 3 GB of cache. CLUSTER_CACHE: where modules and objects are kept between runs.
set -euo pipefail
cd "$(dirname "$0")"
cache="${CLUSTER_CACHE:-/tmp/sonde-cluster-build}"
export GOMODCACHE="$cache/modules" GOCACHE="$cache/objects" GOFLAGS=-buildvcs=false CGO_ENABLED=0
version="$(sed -n 's/.*k8s.io\/kubernetes \(v[0-9.]*\)$/\1/p' go.mod | head -1)"
minor="$(echo "$version" | cut -d. -f2)"
flags=""
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do  # without these it calls itself v0.0.0
  flags="$flags -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$minor -X $package.gitTreeState=clean"
done
built="${XDG_CACHE_HOME:-$HOME/.cache}/sonde/kubernetes/built"  # where kubernetes_binary.py looks for it
mkdir -p "$built"
nice -n 15 go build -p 2 -trimpath -ldflags "-s -w $flags" -o "$built/cluster" .
ln -sf cluster "$built/kubectl"
