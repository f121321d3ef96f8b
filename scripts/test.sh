#!/bin/bash
# Runs all tests, with the race detector where goroutines are: test.sh "PACKAGE..." [GO TEST'S FLAG...].
# The packages named first have tests that cannot run with it (files for !race) and are run both ways.
# Those that start no goroutine by the rules (internal/importrules) run without it: it would find
# nothing, and makes them 5 to 30 times slower.
set -euo pipefail
cd "$(dirname "$0")/.."
both=$1
shift
alone=$(go run ./internal/importrules/pure)
raced=$(go list ./... | grep -vxF "$alone")
log=$(mktemp) first='' beside=''
leave() {
	local group
	rm -f "$log"
	for group in $first $beside; do
		kill -- "-$group" 2>/dev/null || true
	done
}
trap leave EXIT
# go test answers Ctrl-C by an ordinary exit status, after which bash would go on to wait for the other set.
trap 'exit 130' INT
trap 'exit 143' TERM
# make lint has vetted all packages.
flags=(-vet=off -timeout 20m "$@")
# Both sets run at a time: much of what has the race detector waits more than it computes, and a set
# that runs alone leaves a CPU idle at its end. Without the detector one package runs after
# the other, and their output comes last. The end-to-end tests wait more than they compute: they
# begin first.
set -m # groups of their own, that end with this script
# shellcheck disable=SC2086
CGO_ENABLED=0 go test -p 1 "${flags[@]}" ./simtest/rig $both $alone >"$log" 2>&1 &
beside=$!
# shellcheck disable=SC2086
go test -race "${flags[@]}" ./test/e2e $raced &
first=$!
set +m
status=0
wait "$first" || status=$?
first=''
wait "$beside" || status=$?
beside=''
cat "$log"
exit "$status"
