#!/bin/bash
# Reads all packages with vet and staticcheck, or with vet for another architecture: lint.sh [ARCH]. Each
# compiles them where it is the first.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0
read_all() { tools/goes-on.sh "all packages are read, and compiled the first time: some minutes" "$@" ./...; }
if [ $# -gt 0 ]; then
	GOARCH=$1 read_all go vet
	exit
fi
read_all go vet
read_all go run honnef.co/go/tools/cmd/staticcheck@v0.8.2
