#!/bin/bash
# Runs the tests that take too long for every change: all hostile programs, the simulated machines,
# several tenants on 2000 of them (some hours alone), a day of random stacks, the guardian at 200
# moments and 2000 pairs of kills, make test-vm, 40 hidden physics in a virtual machine and power
# models trained on 20, a reader beside a preempted writer, ebb qualify whole and beside faults, a
# table of a JVM's methods and calls of them on Debian 13's JDKs, kernels in lockdown, with PREEMPT_RT
# and too old ones, the Debian package
# in a Debian root, a service for an hour and under systemd in a virtual machine, own memory and a
# machine's groups for an hour each, 10,000 functions for an hour, ebb calm on
# three programs, each fuzz target for a minute. Run as root where nothing else runs: what ebb
# promises within a time is judged by that time (EBB_IDLE). Each part writes its date, commits and results to
# test/soak/PART.txt, which is committed; logs are in build/soak. PARTS="attacks day" runs these parts
# alone, and TARGETS=FuzzELF these fuzz targets: the lines of the others are kept, and each line names
# its commit. A shorter run (FUZZTIME=5s, RUNS=10, MOMENTS=4), one of changes that are not committed,
# or one without root, writes to build/soak only.
set -uo pipefail
cd "$(dirname "$0")/.."
fuzztime=${FUZZTIME:-60s} runs=${RUNS:-1000} moments=${MOMENTS:-200} pairs=${PAIRS:-2000}
logs=build/soak
mkdir -p "$logs" test/soak
kept=test/soak
if [ "$fuzztime $runs $moments $pairs" != "60s 1000 200 2000" ] || [ "$(id -u)" -ne 0 ] ||
	[ -n "$(git status --porcelain -- . ':!test/soak' 2>/dev/null)" ]; then
	kept=$logs
fi
failed=0
commit=$(git log -1 --format=%h 2>/dev/null || echo unknown)

say() { printf '%s\n' "$*" | tee -a "$result"; }

# try NAME MINUTES COMMAND...: runs it, and says how it ended.
try() {
	local name=$1 minutes=$2 begin=$SECONDS status=0
	shift 2
	log=$logs/${name//[^A-Za-z0-9.]/_}.log
	nice -n 5 timeout "${minutes}m" "$@" >"$log" 2>&1 || status=$?
	if [ "$status" -eq 0 ]; then
		say "$(printf 'ok      %5d s  %s  %s' $((SECONDS - begin)) "$commit" "$name")"
	else
		failed=1
		say "$(printf 'FAILED  %5d s  %s  %s (status %d, %s)' $((SECONDS - begin)) "$commit" "$name" \
			"$status" "$log")"
	fi
}

attacks() {
	try "hostile programs" 90 env EBB_IDLE=1 go test -timeout 85m -v ./test/hostile -all
	grep -E '^ +--- (FAIL|SKIP)' "$log" | sed 's/^ */        /' | tee -a "$result"
	say "        $(grep -cE '^ +--- PASS' "$log") attacks held"
}

sim() { try "make sim RUNS=$runs" 70 make sim RUNS="$runs"; }

tenants() {
	try "2000 machines with several tenants" 1200 go test -timeout 1190m -v ./simtest/campaign \
		-run '^TestTenants(ThatFail)?$' -tenants 2000 -window 5m
	grep -oE '[0-9]+ tenants with a window .*' "$log" | sed 's/^/        /' | tee -a "$result"
	try "2000 machines beside the joint oracle" 600 go test -timeout 590m -v ./simtest/campaign \
		-run '^TestBesideTheOracle$' -tenants 2000
	grep -oE '[0-9]+ cases: ebb .*' "$log" | sed 's/^/        /' | tee -a "$result"
}

day() {
	# A test that is missing has not passed.
	[[ $(go test -list '^TestDayOfRandomStacks$' ./internal/energy/attribution) == Test* ]] || failed=1
	try "a day of random deep stacks" 90 go test -timeout 85m -v ./internal/energy/attribution \
		-run '^TestDayOfRandomStacks$' -soak 24h
}

moments() {
	try "$pairs pairs of kills" 40 go test -timeout 35m ./cpufreq/guardian -run '^Test(Pairs|Killed)' \
		-pairs "$pairs"
	# A pair takes some 10 s there: each lot has a result of its own.
	local seed
	for seed in $(seq 11 20); do
		try "20 pairs of kills in a virtual machine, seed $seed" 30 env KILLS=20 SEED="$seed" \
			RUN='^TestPairsKilled$' tools/test-vm.sh
	done
	try "the guardian at $moments moments" 60 env EBB_IDLE=1 GUARDIAN_MOMENTS="$moments" \
		go test -timeout 55m -v ./test/e2e -run '^TestGuardian'
	grep -o '[0-9]* moments: .*' "$log" | sed 's/^/        /' | tee -a "$result"
	try "a service killed at $moments moments, stopped at as many" 90 env EBB_IDLE=1 \
		SERVE_MOMENTS=$((2 * moments)) \
		go test -timeout 85m -v ./test/e2e -run '^TestServeKilled$'
	grep -o 'a service killed at [0-9]* moments: .*' "$log" | sed 's/^/        /' | tee -a "$result"
}

# Every machine of the tier, and how fast the host was.
vm() {
	try "make test-vm" 60 tools/test-vm.sh
	grep -E '^test-vm: |^(ok|FAIL|---)' "$log" | sed 's/^/        /' | tee -a "$result"
}

hidden() {
	try "hidden physics in virtual machines" 120 env HIDDEN=40 TRAINED=20 RUN='^TestHidden' tools/test-vm.sh
	# A test that was skipped has not passed.
	grep -q '^ok.*test/vm' "$log" || failed=1
	grep -oE 'hidden physics(:|, models) .*' "$log" | sed 's/^/        /' | tee -a "$result"
}

qualify() {
	# As long as a user's; its figures are in build/vm/whole.log.
	try "ebb qualify, whole, ${WHOLE:-default}" 240 env WHOLE="${WHOLE:-default}" \
		RUN='^TestQualifyWhole$' tools/test-vm.sh
	grep -q '^ok.*test/vm' "$log" || failed=1
	try "ebb qualify on a machine with faults" 40 env -u WHOLE RUN='^TestQualify' tools/test-vm.sh
	grep -q '^ok.*test/vm' "$log" || failed=1
	try "ebb qualify on coupled domains" 20 env RUN='^TestQualifyCoupled' tools/test-vm.sh
	grep -q '^ok.*test/vm' "$log" || failed=1
}

preempted() {
	try "a reader and a preempted writer on one CPU" 30 env RUN='^TestPreempted$' tools/test-vm.sh
	grep -q '^ok.*test/vm' "$log" || failed=1
	grep -oE '[0-9]+ readings of .*' build/vm/preempted.log | sed 's/^/        /' | tee -a "$result"
}

java() {
	try "a table of a JVM's methods" 60 env RUN='^TestJavaMethods$' tools/test-vm.sh
	grep -q '^ok.*test/vm' "$log" || failed=1
	grep -oE '(memory|compute): .*|governed by .*' "$log" | sed 's/^/        /' | tee -a "$result"
	try "calls of Java methods on Debian 13's JDKs" 40 tools/test-java.sh
	grep -E '^(ok|FAIL) ' "$log" | sed 's/^/        /' | tee -a "$result"
}

# A service as it is left on: an hour of comings and goings, and under systemd in a virtual machine.
serve() {
	try "a service for an hour" 75 env SERVE_HOUR=1h go test -timeout 70m -v ./test/e2e -run '^TestServeHour$'
	grep -oE '(memory|descriptors|mappings|maps|entries of maps): .*' "$log" | sed 's/^/        /' | tee -a "$result"
	try "a service under systemd" 120 env MINUTES=110 tools/test-systemd.sh
	grep -E '^(ok|FAILED) ' "$log" | sed 's/^/        /' | tee -a "$result"
}

# A whole machine's groups, an hour beside the platform's meter.
machine() {
	try "a machine's groups for an hour" 240 env MACHINE=1h MINUTES=230 RUN='^Test(Groups|IdleWakeups)$' tools/test-vm.sh
	grep -q '^ok.*test/vm' "$log" || failed=1
	grep -ohE 'groups: .*|(package|dram)-0, .* by the platform .*' build/vm/loop.log | sed 's/^/        /' | tee -a "$result"
}

# ebb's own memory beside threads, processes and programs that come and go for an hour.
memory() {
	try "own memory under --methods for an hour" 75 env METHODS_HOUR=1h go test -timeout 70m -v ./test/e2e \
		-run '^TestMethodsForLong$'
	grep -oE 'after .*: map.*|(governor|sandbox|opener): .*|[0-9]+ threads, .*' "$log" | sed 's/^/        /' | tee -a "$result"
}

# SAFARI's program of 10,000 functions.
functions() {
	try "10,000 functions for an hour" 75 env FUNCTIONS_HOUR=1h go test -timeout 70m -v ./test/e2e \
		-run '^TestManyFunctionsForLong$'
	grep -oE '[0-9]+ calls, [0-9]+ records; .*|memory: .*' "$log" | sed 's/^/        /' | tee -a "$result"
}

# Chappie's calm on Debian's programs.
calm() {
	try "ebb calm on three of Debian's programs" 365 env CALM_SEARCHES=10 go test -timeout 360m -v ./test/e2e \
		-run '^TestCalmDecides$'
	grep -oE 'of 10 searches .*' "$log" | sort | uniq -c | sed 's/^/        /' | tee -a "$result"
}

package() {
	try "the Debian package in a Debian root" 30 tools/test-deb.sh
	grep -E '^(ok|FAILED) ' "$log" | sed 's/^/        /' | tee -a "$result"
}

# Kernels that keep something back: docs/kernels.md.
kernels() {
	local test
	for test in TestLocked TestRealTime TestAncient TestOldWays; do
		try "$test" 20 env RUN="^$test\$" tools/test-vm.sh
		grep -q '^ok.*test/vm' "$log" || failed=1
	done
}

fuzz() {
	# Go's own limit bounds a worker's memory; a target that needs more becomes slow, which shows.
	# Interesting inputs are not minimised: that can take longer than all the rest.
	export GOMEMLIMIT=1GiB
	local all dir target
	all=$(targets)
	if [ -n "${TARGETS:-}" ] && [ -e test/soak/fuzz.txt ]; then
		# The lines of the other targets, if these still exist.
		while read -r dir target; do
			[[ $target =~ $TARGETS ]] || grep -E " s  [0-9a-f]+  $dir $target," test/soak/fuzz.txt
		done <<<"$all" | tee -a "$result"
	fi
	while read -r dir target; do
		[[ $target =~ ${TARGETS:-.} ]] || continue
		try "$dir $target, $fuzztime" 15 go test "./$dir" -run '^$' -fuzz "^$target\$" \
			-fuzztime "$fuzztime" -fuzzminimizetime 1x -parallel 2
	done <<<"$all"
}

# targets lists the fuzz targets, each with its directory.
targets() {
	local dir
	while read -r dir; do
		go test -list '^Fuzz' "$dir" | grep '^Fuzz' | sed "s|^|${dir#./} |"
	done < <(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u)
}

for part in ${PARTS:-attacks moments sim tenants vm hidden preempted qualify java kernels package serve memory machine functions calm day fuzz}; do
	result=$logs/$part.txt begun=$SECONDS before=$failed failed=0
	: >"$result"
	say "$part, at $(git log -1 --format='%h (%s)' 2>/dev/null || echo 'an unknown commit')"
	say "$(date -u +%FT%RZ), Linux $(uname -r), $(nproc) CPUs, $(go version | cut -d' ' -f3)"
	say ""
	"$part"
	! grep -q '^FAILED' "$result" || failed=1 # one of an earlier run, too
	say ""
	older=$(grep -E ' s  [0-9a-f]+  ' "$result" | grep -cvE " s  $commit  " || true)
	say "$([ "$failed" -eq 0 ] && echo 'everything held' || echo 'NOT everything held')," \
		"$(((SECONDS - begun) / 60)) min, $older lines of older commits"
	[ "$kept" = "$logs" ] || cp "$result" "$kept"
	[ "$before" -eq 0 ] || failed=1
done
exit "$failed"
