#!/bin/bash
# Go benchmarks of every package, what tracing costs a program, and what the whole command uses. Output in Go's benchmark
# format, also in build/bench.txt: compare two of them with benchstat. Some 20 minutes on two CPUs.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build

if [ "$(id -u)" -ne 0 ]; then
	echo "bench: not root, so what needs BPF is skipped" >&2
fi
# One package at a time (-p 1): benchmarks must not disturb each other.
bench() { go test -p 1 -run '^$' "$@"; }
{
	bench -bench . -skip 'Cost|ProgramRun' -benchmem -benchtime 500ms -timeout 5m $(go list ./... | grep -v /test/e2e)
	# These take their own number of interleaved rounds: one iteration is one measurement.
	bench -bench 'Cost|ProgramRun' -benchtime 1x -timeout 8m ./epochs/bpf
	bench -bench Cost -benchtime 1x -timeout 9m ./energy/stacks ./energy/attribution
	bench -bench . -benchtime 1x -timeout 9m ./test/e2e
} | grep -v -e '^?' -e 'no test files' -e '^PASS' -e '^ok ' | tee build/bench.txt
