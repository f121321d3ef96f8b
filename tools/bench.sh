#!/bin/bash
# make bench (see test/README.md): prints Go's benchmark format, also to build/bench.txt; compare two
# such files with benchstat. Each part announces its start, each benchmark prints its result at its
# end. A part that takes far too long is stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build

if [ "$(id -u)" -ne 0 ]; then
	echo "bench: not root: benchmarks that need BPF are skipped" >&2
fi
# Go's own -timeout does not end benchmarks. One package at a time (-p 1): they must not disturb each other.
bench() { # what, minutes, arguments
	echo "bench: $1, $(date +%T)" >&2
	timeout "$2m" go test -p 1 -run '^$' "${@:3}" || { echo "bench: $1: status $? ($2 minutes are the limit)" >&2; failed=1; }
}
mapfile -t core < <(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -n 1 dirname | grep -vx ./test/e2e | sort -u)
# BenchmarkEvents takes a quarter of an hour: docs/cost.md has its command.
failed=0
{
	bench "the core" 10 -bench . -skip 'Cost|ProgramRun|Events' -benchmem -benchtime 500ms "${core[@]}"
	# These take their own number of interleaved rounds: one iteration is one measurement.
	bench "what tracing costs" 15 -bench 'Cost|ProgramRun' -benchtime 1x ./epochs/bpf
	bench "what samples cost" 10 -bench Cost -benchtime 1x ./internal/stacks ./internal/energy/attribution ./internal/network
	bench "what ebb uses" 15 -bench . -skip Costs -benchtime 1x ./internal/app/run/... ./test/e2e
	exit "$failed"
} | grep --line-buffered -v -e '^?' -e 'no test files' -e '^PASS' -e '^ok ' -e '^skipped: ' | tee build/bench.txt
cp build/bench.txt docs/figures/bench.txt
echo "bench: done, $(date +%T)" >&2
