#!/bin/bash
# make costs: what ebb costs, a row for each line of docs/cost.md's first table. ROWS="nginx start" runs these alone. A
# row's result is build/costs/ROW.txt; after each one all of them, in the table's order, become build/costs.txt, which
# FIGURES=1 copies to docs/figures. ROUNDS= is the number of rounds of each row; BINARY= is another ebb than this tree's.
# All rows take 20 minutes where nothing else runs; rows of a minute have one round each unless ROUNDS= says more.
set -euo pipefail
cd "$(dirname "$0")/.."
all="nginx nginx-methods nginx-saturated nginx-saturated-methods postgres redis tomcat pingpong two-pingpongs
c-10s java-10s c-10s-load2 java-10s-load2 c-60s java-60s java-methods-40s java-methods-short start start-methods sleepers"
# Not by default: two minutes more.
more="c-60s-load2 java-60s-load2"
rows=${ROWS:-$all}
[ "$(id -u)" = 0 ] || { echo "costs: ebb traces, which takes root" >&2; exit 1; }
mkdir -p build/costs
for row in $rows; do
	grep -qw -- "$row" <<<"$all $more" || { echo "costs: no row $row; there are $all $more" >&2; exit 2; }
done
CGO_ENABLED=0 go test -c -o build/costs/e2e.test ./test/e2e
CGO_ENABLED=0 go test -c -o build/costs/simhost.test ./simtest/simhost
if [ -n "${BINARY:-}" ]; then
	BINARY=$(realpath "$BINARY")
else
	BINARY=$PWD/build/costs/ebb
	CGO_ENABLED=0 go build -buildvcs=false -ldflags='-w -E github.com/ebb-energy/ebb/internal/command.entry' -o "$BINARY" ./cmd/ebb
fi
# All in one file, as far as rows have run.
gather() {
	local row
	for row in $all $more; do
		[ ! -e "build/costs/$row.txt" ] || cat "build/costs/$row.txt"
	done >build/costs.txt
}
failed=0
for row in $rows; do
	echo "costs: $row, $(date +%T)" >&2
	test=../../build/costs/e2e.test dir=test/e2e bench="^BenchmarkCosts$/^$row$"
	if [ "$row" = sleepers ]; then
		test=../../build/costs/simhost.test dir=simtest/simhost bench='^BenchmarkSleepers$'
	fi
	if (
		echo "# $row: $(date -u '+%F %H:%M') UTC, load $(cut -d ' ' -f 1-3 /proc/loadavg), Linux $(uname -r)"
		cd "$dir"
		EBB_BINARY=$BINARY COSTS_ROUNDS=${ROUNDS:-} timeout 10m "$test" -test.run '^$' -test.v -test.benchtime 1x \
			-test.bench "$bench" | sed -n -e 's/^ *[a-z_]*\.go:[0-9]*: /# /p' -e '/^Benchmark.*[[:blank:]]1[[:blank:]]/p'
	) >"build/costs/$row.new" && grep -q ^Benchmark "build/costs/$row.new"; then
		mv "build/costs/$row.new" "build/costs/$row.txt"
	else
		echo "costs: $row failed: build/costs/$row.new" >&2
		failed=1
	fi
	gather
done
[ -z "${FIGURES:-}" ] || cp build/costs.txt docs/figures/costs.txt
echo "costs: done, $(date +%T): build/costs.txt" >&2
exit "$failed"
