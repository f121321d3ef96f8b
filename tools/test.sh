#!/bin/bash
# Runs all tests, with the race detector where goroutines are: test.sh "PACKAGE..." [GO TEST'S FLAG...].
# The packages named first have tests that cannot run with it (files for !race) and are run both ways.
# Those that start no goroutine by the rules (test/importrules) run without it: it would find
# nothing, and makes them 5 to 30 times slower.
set -euo pipefail
cd "$(dirname "$0")/.."
both=$1
shift
alone=$(go run ./test/importrules/pure)
raced=$(go list ./... | grep -vxF "$alone" | grep -v '/test/e2e$')
log=$(mktemp) groups=''
leave() {
	local group
	rm -f "$log"
	for group in $groups; do
		kill -- "-$group" 2>/dev/null || true
	done
}
trap leave EXIT
# go test answers Ctrl-C by an ordinary exit status, after which bash would go on to wait for the other set.
trap 'exit 130' INT
trap 'exit 143' TERM
# make lint has vetted all packages. The limit is one that only a hang reaches: on one CPU of this
# kind the slowest package takes a third of it.
flags=(-vet=off -timeout 45m "$@")
# The end-to-end tests compare ebb with the stopwatch, and no other test may take their CPUs from
# them. Behind them both sets run at a time: a set that runs alone leaves a CPU idle at its end.
# Without the detector one package runs after the other, and their output comes last.
run() {
	"$@" &
	groups+=" $!"
}
status=0
set -m # groups of their own, that end with this script
run go test -race "${flags[@]}" ./test/e2e
wait $! || status=$?
# shellcheck disable=SC2086
CGO_ENABLED=0 run go test -p 1 "${flags[@]}" ./simtest/simhost $both $alone >"$log" 2>&1
beside=$!
# shellcheck disable=SC2086
run go test -race "${flags[@]}" $raced
wait $! || status=$?
wait "$beside" || status=$?
groups=''
cat "$log"
exit "$status"
