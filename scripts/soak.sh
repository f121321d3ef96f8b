#!/bin/bash
# What takes too long for every change: all hostile programs, the simulated machines, each fuzz target for a minute, a day of
# random stacks, the guardian at 200 moments. Run as root. Writes date, commit and what each part showed to test/soak-result.txt,
# which is committed; logs are in build/soak. FUZZTIME=5s is a shorter one, ONLY=fuzz (attacks, sim, day, moments) one part of it:
# their result is not written there, but to build/soak/result.txt.
set -uo pipefail
cd "$(dirname "$0")/.."
fuzztime=${FUZZTIME:-60s}
logs=build/soak
mkdir -p "$logs"
result=$logs/result.txt
failed=0
: >"$result"

say() { printf '%s\n' "$*" | tee -a "$result"; }

# part NAME MINUTES COMMAND...: runs it, and says how it ended.
part() {
	local name=$1 minutes=$2 log begin status=0
	shift 2
	log=$logs/${name//[^A-Za-z0-9.]/_}.log
	begin=$SECONDS
	nice -n 5 timeout "${minutes}m" "$@" >"$log" 2>&1 || status=$?
	if [ "$status" -eq 0 ]; then
		say "$(printf 'ok      %5d s  %s' $((SECONDS - begin)) "$name")"
	else
		failed=1
		say "$(printf 'FAILED  %5d s  %s (status %d, %s)' $((SECONDS - begin)) "$name" "$status" "$log")"
	fi
}

wanted() { [ -z "${ONLY:-}" ] || [ "$ONLY" = "$1" ]; }

# has PACKAGE TEST: a part of which this checkout has no test is missing, not passed.
has() {
	go test -list "^$2\$" "$1" 2>/dev/null | grep -qx "$2" && return 0
	failed=1
	say "MISSING  $1 has no $2"
	return 1
}

say "soak of $(git log -1 --format='%h, %s' 2>/dev/null || echo 'an unknown commit')"
say "$(date -u +%FT%RZ), Linux $(uname -r), $(nproc) CPUs, $(go version | cut -d' ' -f3)$([ "$(id -u)" -eq 0 ] || echo ', NOT AS ROOT: what needs it was skipped')"
[ -z "$(git status --porcelain 2>/dev/null)" ] || say "with changes that are not committed"
say ""

if wanted attacks; then
	part "hostile programs" 90 go test -timeout 85m -v ./test/hostile -all
	grep -E '^ +--- (FAIL|SKIP)' "$logs/hostile_programs.log" | sed 's/^ */        /' | tee -a "$result"
	say "        $(grep -cE '^ +--- PASS' "$logs/hostile_programs.log") attacks held"
fi
if wanted sim; then
	part "make sim RUNS=${RUNS:-1000}" 70 make sim RUNS="${RUNS:-1000}"
fi
if wanted day && has ./energy/attribution TestDayOfRandomStacks; then
	part "a day of random deep stacks" 90 go test -timeout 85m -v ./energy/attribution -run '^TestDayOfRandomStacks$' -soak 24h
fi
if wanted moments; then
	part "the guardian at 200 moments" 60 env GUARDIAN_MOMENTS=200 go test -timeout 55m -v ./test/e2e -run "^TestGuardian"
fi
if wanted fuzz; then
	# A worker's memory is bounded by Go's own limit; a target that takes more is slow and is seen.
	export GOMEMLIMIT=1GiB
	while read -r dir; do
		while read -r target; do
			part "${dir#./} $target, $fuzztime" 15 go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" -parallel 2
		done < <(go test -list '^Fuzz' "$dir" | grep '^Fuzz')
	done < <(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u)
fi

say ""
say "$([ "$failed" -eq 0 ] && echo 'everything held' || echo 'NOT everything held'), $((SECONDS / 60)) min"
if [ -z "${ONLY:-}" ] && [ "$fuzztime" = 60s ] && [ "$(id -u)" -eq 0 ]; then
	cp "$result" test/soak-result.txt
fi
exit "$failed"
