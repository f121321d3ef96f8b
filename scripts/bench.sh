#!/bin/bash
# Go benchmarks of every package, then what ebb costs the programs it governs. Output in Go's benchmark format, also in
# build/bench.txt: compare two of them with benchstat. Less than 10 minutes on two CPUs.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build

if [ "$(id -u)" -ne 0 ]; then
	echo "bench: not root, so what needs BPF is skipped" >&2
fi
{
	go list ./... | grep -v /test/e2e | xargs go test -run '^$' -bench . -benchmem -benchtime 500ms -timeout 5m
	# Interleaved rounds take their own time: one iteration is one measurement.
	go test -run '^$' -bench . -benchtime 1x -timeout 8m ./test/e2e
} | grep -v -e '^?' -e 'no test files' | tee build/bench.txt
