#!/bin/bash
# Runs the tests in sets and writes go test's events. test-sets.sh GATE "BOTH" [GO TEST'S FLAG...]
# Behind these gotestsum puts -test.run=PATTERN PACKAGE to have one test run once more, alone.
# AS in the environment is a command that runs the tests' binaries as another user.
# GATE is the command of test/gate. BOTH are packages that have tests which cannot run with the race
# detector (files for !race): they run both ways.
# Packages that start no goroutine by the rules (test/importrules) run without it: it would find
# nothing, and makes them 5 to 30 times slower.
set -uo pipefail
gate=$1 both=$2
shift 2
alone=$(go run ./test/importrules/pure) || exit
# make lint has vetted all packages. The limit is one that only a hang reaches: on one CPU of this
# kind the slowest package takes a third of it.
flags=(-json -vet=off -timeout 45m)
below=(-exec "${AS:+$AS }$gate run")
repeated=${*: -1}
if [ $# -ge 2 ] && [[ ${*: -2:1} == -test.run=* ]]; then
	"$gate" repeats "$repeated" || exit 1
	exec go test -race "${flags[@]}" -count 1 "${below[@]}" "$@"
fi
raced=$(go list ./... | grep -vxF "$alone" | grep -v '/test/e2e$') || exit
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
# The end-to-end tests compare ebb with the stopwatch, and no other test may take their CPUs from
# them. Behind them both sets run at a time: a set that runs alone leaves a CPU idle at its end.
# Without the detector one package runs after the other, and their output comes last.
run() {
	"$@" &
	groups+=" $!"
}
status=0
set -m # groups of their own, that end with this script
run go test -race "${flags[@]}" "${below[@]}" "$@" ./test/e2e
wait $! || status=1
# shellcheck disable=SC2086
CGO_ENABLED=0 run go test -p 1 "${flags[@]}" ${AS:+-exec "$AS"} "$@" ./simtest/simhost $both $alone >"$log"
beside=$!
# shellcheck disable=SC2086
run go test -race "${flags[@]}" "${below[@]}" "$@" $raced
wait $! || status=1
wait "$beside" || status=1
groups=''
cat "$log"
exit "$status"
