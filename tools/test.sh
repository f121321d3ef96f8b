#!/bin/bash
# Runs the tests (tools/test-sets.sh): test.sh [GO TEST'S FLAG...]. A test of the real kernel or of the
# built command that fails runs once more, alone, when all have run. At the end stand the skipped tests,
# what the longest cost, which passed alone only, and which failed. Go test's events are in
# build/test/events.json.
set -euo pipefail
cd "$(dirname "$0")/.."
GOTESTSUM=gotest.tools/gotestsum@v1.13.0
work=$PWD/build/test
mkdir -p "$work"
CGO_ENABLED=0 go build -buildvcs=false -o "$work/gate" ./test/gate
CGO_ENABLED=0 GOBIN=$work go install "$GOTESTSUM"
status=0
"$work/gotestsum" --format pkgname --format-icons text --hide-summary skipped \
	--jsonfile "$work/events.json" --rerun-fails=1 --rerun-fails-max-failures 20 \
	--rerun-fails-abort-on-data-race --raw-command -- \
	tools/test-sets.sh "$work/gate" "$@" || status=$?
"$work/gate" outcome "$work/events.json"
exit "$status"
