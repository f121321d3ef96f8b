#!/bin/bash
# Runs all tests, with the race detector where goroutines are: test.sh "PACKAGE..." [GO TEST'S FLAG...].
# The packages named first have tests that cannot run with it (files for !race) and are run both ways.
# The pure ones start no goroutine (internal/importrules): the detector would find nothing, and makes
# them 5 to 30 times slower.
set -euo pipefail
cd "$(dirname "$0")/.."
both=$1
shift
pure=$(go run ./internal/importrules/pure)
raced=$(go list ./... | grep -vxF "$pure")
# The end-to-end tests wait more than they compute: they begin first. So do the rig's below, which take longest.
# shellcheck disable=SC2086
go test -race -timeout 20m "$@" ./test/e2e $raced
# shellcheck disable=SC2086
CGO_ENABLED=0 go test "$@" ./simtest/rig $both $pure
