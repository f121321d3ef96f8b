#!/bin/bash
# The agent's test of a real API server of Kubernetes (TestAPIServer), which no other target runs: compiles the server from
# its module into build/apiserver, which takes some ten minutes of two CPUs the first time. etcd is Debian's (etcd-server);
# EBB_ETCD names another.
set -euo pipefail
cd "$(dirname "$0")/.."
version=37.2
top=$PWD work=$PWD/build/apiserver
command -v "${EBB_ETCD:-etcd}" >/dev/null || { echo "apiserver: etcd is missing (etcd-server)" >&2; exit 1; }
mkdir -p "$work/main"
cd "$work"
export CGO_ENABLED=0 GOFLAGS=-trimpath
cat >main/main.go <<'EOF'
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
EOF
printf 'module apiserver\n\ngo 1.26.0\n' >go.mod
its=$(go mod download -json "k8s.io/kubernetes@v1.$version" | sed -n 's/^\t"GoMod": "\(.*\)",$/\1/p')
{
	printf 'godebug default=go1.26\nrequire k8s.io/kubernetes v1.%s\n' "$version"
	# Parts of its own repository there are modules here.
	sed -n "s|^\t\(k8s.io/[^ ]*\) => \./staging/.*|replace \1 => \1 v0.$version|p" "$its"
} >>go.mod
go mod tidy -e
go build -ldflags='-s -w' -o kube-apiserver ./main
cd "$top/agent"
EBB_APISERVER=$work/kube-apiserver go test -count=1 -v ./internal/cluster -run '^TestAPIServer$'
