#!/bin/bash
# The agent that gives pods their names (docs/kubernetes.md), which is a Go module of its own: agent.sh build
# makes bin/ebb-agent, a static file; agent.sh test reads and tests all of it.
set -euo pipefail
cd "$(dirname "$0")/../agent"
export CGO_ENABLED=0
case $1 in
build)
	../tools/goes-on.sh "the first build fetches the agent's modules and compiles them: some minutes" \
		go build -buildvcs="${BUILDVCS:-auto}" -ldflags='-s -w' -o ../bin/ ./cmd/ebb-agent
	;;
test)
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	CGO_ENABLED=1 go test -race -vet=off -timeout 10m ./...
	;;
esac
