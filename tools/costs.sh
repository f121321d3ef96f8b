#!/bin/bash
# make costs: what ebb costs, a row for each line of docs/cost.md's first table. ROWS="nginx start" runs these alone. A
# row's result is build/costs/ROW.txt; after each one all of them, in the table's order, become build/costs.txt, which
# FIGURES=1 copies to docs/figures, with a table of the medians, build/costs.md, to docs/cost.md. ROUNDS= is the number of
# rounds of each row; BINARY= is another ebb than this tree's. A row of a server takes some 50 s where nothing else runs,
# two ping-pongs 4 minutes; rows of a minute have one round each unless ROUNDS= says more.
# Servers and clients are Debian's nginx, wrk, redis-server, redis-tools, postgresql, libtomcat10-embed-java, bpftrace and
# linux-perf. Rows for which something is missing are left out.
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
# docs/cost.md's table: a line for each row, of the medians, and the aims that they were set; a comment before it names the figures.
table() {
	awk -F'[[:space:]]+' '
	BEGIN {
		n = split("nginx=nginx, one connection|nginx-methods=the same with `--methods`|" \
			"nginx-saturated=nginx, 64 connections|nginx-saturated-methods=the same with `--methods`|" \
			"postgres=PostgreSQL under pgbench|redis=redis under redis-benchmark|tomcat=Tomcat, a servlet that sorts|" \
			"pingpong=ping-pong on one CPU|two-pingpongs=two ping-pongs, on two CPUs|c-10s=C that computes, 10 s|" \
			"java-10s=Java that computes, 10 s|c-10s-load2=C, 10 s, beside two others|" \
			"java-10s-load2=Java, 10 s, beside two others|c-60s=C, a minute|java-60s=Java, a minute|" \
			"c-60s-load2=C, a minute, beside two others|java-60s-load2=Java, a minute, beside two others|" \
			"java-methods-40s=Java with `--methods`, 40 s|java-methods-short=Java with `--methods`, 1.5 s|" \
			"start=start|start-methods=start with `--methods`", word, "|")
		for (i = 1; i <= n; i++) label[substr(word[i], 1, index(word[i], "=") - 1)] = substr(word[i], index(word[i], "=") + 1)
		split("nginx 1 nginx-methods 2 nginx-saturated 0.3 nginx-saturated-methods 0.8 postgres 1 redis 1 tomcat 1 " \
			"java-methods-40s 1", word, " ")
		for (i = 1; i in word; i += 2) cost[word[i]] = word[i + 1]
		split("nginx 0.5 nginx-methods 2 two-pingpongs 5 c-10s 0.5 java-10s 0.5 c-10s-load2 0.5 java-10s-load2 0.5 " \
			"c-60s 0.2 java-60s 0.2 c-60s-load2 0.2 java-60s-load2 0.2 java-methods-40s 1", word, " ")
		for (i = 1; i in word; i += 2) own[word[i]] = word[i + 1]
	}
	# A cell with a measured value, and its name in the comment.
	function cell(name, unit, digits) {
		if (!(name in m)) return ""
		keys = keys " | bench " bench ", " name
		return sprintf("%." digits "f%s", m[name], unit)
	}
	function aim(of, literal) {
		if (of == "") return ""
		keys = keys " | \"" of literal "\""
		return of literal
	}
	function against(name, most) {
		if (most == "" || unknown) return
		if (!(name in m)) unknown = 1
		else if (m[name] + 0 > most + 0) missed = 1
		held = 1
	}
	/^Benchmark/ {
		split("", m)
		bench = substr($1, length("Benchmark") + 1)
		sub(/-[0-9]+$/, "", bench)
		row = bench
		sub(/^Costs\//, "", row)
		for (i = 3; i < NF; i += 2) m[$(i + 1)] = $i
		missed = held = unknown = 0
		if (bench ~ /^Sleepers/) {
			against("%more", 2)
			line = "| package energy, simulated: wakes each " substr(row, 10) " | " aim(2, " %") " | " \
				cell("%more", " %", 1) " | | | |"
		} else if (bench ~ /start/) {
			if (row == "start") against("cpu-ms", 60)
			line = "| " label[row] " | " (row == "start" ? aim(60, " ms") : "") " | | | " cell("cpu-ms", " ms", 0) " | |"
		} else if (row == "pingpong") {
			against("governed-ratio", 1.10)
			against("bystander-ratio", 1.05)
			line = "| " label[row] " | " aim("1.10", "") "; " aim("1.05", "") " beside | " cell("said-cost-%", " %", 2) " | " \
				cell("bpf-%", " %", 2) " | " cell("own-cpu-%", " %", 2) " | " cell("governed-ratio", "", 3) "; beside " \
				cell("bystander-ratio", "", 3) "; bpftrace " cell("bpftrace-ratio", "", 3) ", perf " cell("perf-ratio", "", 3) " |"
		} else {
			costs = row in cost ? cost[row] : ""
			owns = row in own ? own[row] : ""
			if (costs != "") {
				against("said-cost-%", costs)
				against("bpf-%", costs)
			}
			if (owns != "") against("own-cpu-%", owns)
			line = "| " label[row] " | " aim(costs, " %") (costs != "" && owns != "" ? "; " : "") aim(owns, " %") \
				(owns != "" ? " itself" : "") " | " cell("said-cost-%", " %", 2) " | " cell("bpf-%", " %", 2) " | " \
				cell("own-cpu-%", " %", 2) " | "
			if ("cpu-ratio" in m)
				line = line cell("cpu-ratio", "", 3) " (" cell("cpu-ratio-low", "", 3) " to " cell("cpu-ratio-high", "", 3) "); " \
					cell("throughput-ratio", "", 3) " (" cell("throughput-ratio-low", "", 3) " to " \
					cell("throughput-ratio-high", "", 3) ")"
			line = line " |"
		}
		body = body line (!held ? "" : unknown ? " not measured" : missed ? " missed" : " holds") " |\n"
	}
	END {
		print "<!-- figures:" substr(keys, 3) " -->" | "fold -s -w 96 | sed \"s/ *$//\""
		close("fold -s -w 96 | sed \"s/ *$//\"")
		print "| program | aim | ebb by its own word | BPF programs by the kernel | CPU time of ebb, of one CPU |" \
			" by a stopwatch: CPU time for a request; requests in a second | |"
		print "| --- | --- | --- | --- | --- | --- | --- |"
		printf "%s", body
	}' build/costs.txt
}

# All in one file, as far as rows have run.
gather() {
	local row
	for row in $all $more; do
		[ ! -e "build/costs/$row.txt" ] || cat "build/costs/$row.txt"
	done >build/costs.txt
}
# Runs the row. timeout gives what it runs a process group of its own, and hands on that it is ended.
running=
trap '[ -z "$running" ] || { kill "$running"; wait "$running"; }; exit 130' INT TERM HUP
one() {
	local log=$PWD/build/costs/$row.log status=0
	echo "# $row: $(date -u '+%F %H:%M') UTC, load $(cut -d ' ' -f 1-3 /proc/loadavg), Linux $(uname -r)"
	(
		cd "$dir"
		EBB_BINARY=$BINARY COSTS_ROUNDS=${ROUNDS:-} exec timeout "$((10 * (1 + ${ROUNDS:-0} / 5)))m" "$test" \
			-test.run '^$' -test.v -test.benchtime 1x -test.timeout 0 -test.bench "$bench"
	) >"$log" 2>&1 &
	running=$!
	wait "$running" || status=$?
	running=
	sed -n -e 's/^ *[a-z_]*\.go:[0-9]*: /# /p' -e '/^Benchmark.*[[:blank:]]1[[:blank:]]/p' "$log"
	return "$status"
}

failed=0
for row in $rows; do
	echo "costs: $row, $(date +%T)" >&2
	rm -f "build/costs/$row.txt"
	test=../../build/costs/e2e.test dir=test/e2e bench="^BenchmarkCosts$/^$row$"
	if [ "$row" = sleepers ]; then
		test=../../build/costs/simhost.test dir=simtest/simhost bench='^BenchmarkSleepers$'
	fi
	if one >"build/costs/$row.new" && grep -q ^Benchmark "build/costs/$row.new"; then
		mv "build/costs/$row.new" "build/costs/$row.txt"
	elif grep -q -- '--- SKIP' "build/costs/$row.log"; then
		echo "costs: $row is left out: $(grep -A 1 -- '--- SKIP' "build/costs/$row.log" | tail -n 1)" >&2
	else
		echo "costs: $row failed: build/costs/$row.log" >&2
		failed=1
	fi
	gather
done
table | tee build/costs.md
if [ -n "${FIGURES:-}" ] && [ "$failed" = 0 ]; then
	cp build/costs.txt docs/figures/costs.txt
	sed -i -e '/^<!-- make costs -->$/,/^<!-- end of make costs -->$/ {
		/^<!-- make costs -->$/r build/costs.md
		/^<!-- .*make costs -->$/!d
	}' docs/cost.md
fi
echo "costs: done, $(date +%T): build/costs.txt" >&2
exit "$failed"
