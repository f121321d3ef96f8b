#!/bin/bash
# Runs the tests in sets and writes go test's events. test-sets.sh GATE [GO TEST'S FLAG...]
# Behind these gotestsum puts -test.run=PATTERN PACKAGE to have one test run once more, alone.
# GATE is the command of test/gate. AS in the environment is a command that runs the tests' binaries
# as another user.
set -uo pipefail
gate=$1
shift
module=$(go list -m)
# Packages with tests that cannot run with the race detector (files for !race): it is too slow for
# some, and the sandbox's limits refuse its memory. They run both ways.
both=$(printf '%s\n' simtest/simhost internal/lab/eval internal/sandbox \
	internal/sandbox/confine internal/power/activity/jvm internal/app/perturbation | sed "s|^|$module/|")
# Packages that start no goroutine by the rules (test/importrules) run without the detector: it would
# find nothing, and makes them 5 to 30 times slower. With -short it has those alone whose own code
# starts one, but for those that only compute and have tests without it. The end-to-end tests are apart.
pure=$("$gate" pure) || exit
raced=$(go list ./... | grep -vxF "$pure" | grep -v '/test/e2e$') || exit
race=(-race) plain=''
if [[ " $* " == *" -short "* ]]; then
	starts=$(grep -rlE --include='*.go' --exclude='*_test.go' '^\s*go (func|[a-z])|\.Go\(' . |
		xargs -n 1 dirname | sort -u | sed "s|^\.|$module|")
	plain=$(grep -vxF "$starts" <<<"$raced")
	raced=$(grep -xF "$starts" <<<"$raced")
	race=()
	# One of both ways is left: with the detector where the real kernel is tested, else without.
	for package in $both; do
		if "$gate" repeats "$package"; then
			both=$(grep -vxF "$package" <<<"$both")
		else
			plain=$(grep -vxF "$package" <<<"$plain")
			raced=$(grep -vxF "$package" <<<"$raced")
		fi
	done
fi
# make lint has vetted all packages. The limit is one that only a hang reaches.
flags=(-json -vet=off -timeout 45m)
below=(-exec "${AS:+$AS }'$gate' run") # go test takes quotes: the path may have blanks
if [ $# -ge 2 ] && [[ ${*: -2:1} == -test.run=* ]]; then
	package=${*: -1}
	"$gate" repeats "$package" || exit 1
	! grep -qxF "$package" <<<"$raced" || race=(-race)
	exec go test "${race[@]}" "${flags[@]}" -count 1 "${below[@]}" "$@"
fi
logs=$(mktemp -d) groups=''
leave() {
	local group
	rm -rf "$logs"
	for group in $groups; do
		kill -- "-$group" 2>/dev/null || true
	done
}
trap leave EXIT
# go test answers Ctrl-C by an ordinary exit status, after which bash would go on to wait for other sets.
trap 'exit 130' INT
trap 'exit 143' TERM
run() {
	"$@" &
	groups+=" $!"
}
status=0
set -m # groups of their own, that end with this script
# The end-to-end tests compare ebb with the stopwatch, and no other test may take their CPUs from
# them. Behind them the other sets run at a time: a set that runs alone leaves a CPU idle at its end.
# The one whose output comes last computes all the time and has one package at a time; the others
# also wait, and have two.
run go test "${race[@]}" "${flags[@]}" "${below[@]}" "$@" ./test/e2e
wait $! || status=1
# shellcheck disable=SC2086
CGO_ENABLED=0 run go test -p 1 "${flags[@]}" ${AS:+-exec "$AS"} "$@" $both $pure >"$logs/pure"
waiting=($!)
if [ -n "$plain" ]; then
	# Packages' tests start in their order. The longest comes first.
	longest=$module/epochs/bpf
	plain=$(grep -xF "$longest" <<<"$plain"; grep -vxF "$longest" <<<"$plain")
	# shellcheck disable=SC2086
	CGO_ENABLED=0 run go test -p 2 "${flags[@]}" "${below[@]}" "$@" $plain >"$logs/plain"
	waiting+=($!)
fi
# shellcheck disable=SC2086
run go test -race -p 2 "${flags[@]}" "${below[@]}" "$@" $raced
waiting+=($!)
for set in "${waiting[@]}"; do
	wait "$set" || status=1
done
groups=''
cat "$logs"/*
exit "$status"
