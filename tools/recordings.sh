#!/bin/bash
# Usage: tools/recordings.sh EBB DIR
# Records programs of test/workloads/ with the binary EBB into DIR, as the recordings in
# governor/replay/testdata were made. Needs root, a JDK and cgroups of version 2.
#
# The recordings vm-* come from the machine "loop" of tools/test-vm.sh: ebb run --quantum 50ms
# --record FILE with these flags on these loads (test/vm/governed_test.go):
#   vm-memory         none                                               memory@900, 90 million rounds
#   vm-phases         --slowdown 10%                                     memory@900 and compute@0, 90 million
#   vm-system-energy  --minimize system-energy --platform-power 10W      compute@0, 60 million
#   vm-threads        --slowdown 10% --model dep                         memory@900 on 3 threads, 30 million
#   vm-ignored        none, the fault "ignore" being 3                   memory@900, 90 million
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -ne 2 ]; then
	sed -n 's/^# \(Usage: .*\)/\1/p' "$0" >&2
	exit 2
fi
ebb=$(realpath "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
mkdir -p build
tools/workloads.sh build/workloads >build/workloads.txt
w=$PWD/build/workloads
lucene=$(sed -n 's/^lucene\t//p' build/workloads.txt)

record() { # name, flags and command
	local name=$1
	shift
	"$ebb" run --quiet --record "$out/$name.ebb" "$@" >/dev/null
	gzip -9 -n -f "$out/$name.ebb"
}
record go-contend --duration 1200ms -- "$w/contend" 3 1
record go-system-energy --minimize system-energy --platform-power 20W --duration 800ms -- "$w/contend" 4 1
record c-barrier --duration 1s --slowdown 10% --model dep --rule even -- "$w/barrier"
record c-prodcons --duration 150ms --slowdown 20% --model m+crit+burst --rule as-printed-open -- "$w/prodcons"
record c-pingpong --duration 200ms --slowdown 10% --ctp per-epoch --model dep+burst -- "$w/pingpong"
record c-waits --quantum 2ms --hold-off 3 -- "$w/waits"
record c-split-methods --methods --duration 1200ms --margin error-bar -- "$w/split"
record c-spin-fixed --duration 600ms --frequency 2GHz -- "$w/spin"
record java-methods --methods --network --rule as-printed --quantum 10ms --duration 2s -- java -cp "$w/classes" Split
record java-coop --model coop+burst --collector-phases --duration 3s --slowdown 15% -- \
	java -Xmx24m -XX:+UseParallelGC -cp "$w/classes" Contend 3 2 alloc
# shellcheck disable=SC2086 # a command with arguments
record java-lucene --duration 2s --slowdown 8% -- $lucene

"$w/split-go" >/dev/null 2>&1 &
program=$!
sleep 0.3
record go-attached --pid "$program" --duration 1s --estimator none --slowdown 3%
kill "$program"

hierarchy=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group=$hierarchy/ebb-recordings
mkdir "$group"
within() { # a command in the cgroup
	echo "$BASHPID" >"$group/cgroup.procs"
	exec "$@" >/dev/null 2>&1
}
within "$w/contend" 3 6 &
contend=$!
within "$w/barrier" &
barrier=$!
sleep 0.5
record cgroup --cgroup /ebb-recordings --duration 1s --slowdown 10%
kill "$contend" "$barrier"
wait "$contend" "$barrier" || true
rmdir "$group"
