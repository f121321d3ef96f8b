#!/usr/bin/env bash
# Chappie's evaluation on Debian's programs of the DaCapo suite's kind: each alone and sampled, at periods of PERIODS= ms, until there
# is a verdict or AT_MOST= has passed, or RUNS= times each; WORK= is the CPU time of each of a run's two threads, in s. PROGRAMS= and DIR=
# say which and where to. The results are DIR/chappie.html, DIR/chappie.csv and a directory for each program; chappie.txt has the figures
# that the documentation quotes.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${PROGRAMS:-batik h2 jython sunflow xalan lucene tomcat}
periods=${PERIODS:-1,4,16,64}
most=${AT_MOST:-6m}
work=${WORK:-2}
batches=${BATCHES:-6}
dir=${DIR:-build/chappie}
case $most in *[sm]) ;; *) echo "chappie: AT_MOST= is in s or m, such as 6m" >&2; exit 2 ;; esac
[ "$(id -u)" = 0 ] || { echo "chappie: ebb calm samples, which takes root" >&2; exit 1; }
command -v java >/dev/null || { echo "chappie: there is no java (tools/packages.txt)" >&2; exit 1; }
mkdir -p "$dir"

declare -A command
while IFS=$'\t' read -r name line; do
	command[$name]=$line
done < <(tools/workloads.sh)

bound=(--at-most "$most")
say="$most for each of $(wc -w <<<"$programs") programs"
limit=$most
if [ -n "${RUNS:-}" ]; then
	# One run of each kind and period, the first, and those that follow until the shares have settled; starting takes some seconds too.
	bound=(--runs "$RUNS")
	limit=$(((1 + 2 * RUNS * $(tr ',' '\n' <<<"$periods" | wc -l) + batches) * (work + 3)))s
	say="$(((${limit%s} * $(wc -w <<<"$programs") + 59) / 60)) minutes where nothing else runs"
fi
echo "chappie: at most $say" >&2
done=()
for name in $programs; do
	[ -n "${command[$name]:-}" ] || { echo "chappie: no $name (tools/packages.txt)" >&2; continue; }
	read -ra argv <<<"${command[$name]}"
	# As many operations as take both threads that long of CPU time, so that it is no matter what else runs.
	operations=$("${argv[@]}" 2 "$work" | awk -v work="$work" -F'[ =]' '/^thread/ {
		for (i = 1; i < NF; i++) if ($i == "run_ns") used += $(i + 1)
	} /^ops=/ { print int(1 + $2 * 2e9 * work / used) }')
	echo "chappie: $name, $operations operations, $(date +%T)" >&2
	rm -rf "${dir:?}/$name"
	# Ten times the estimate at most: then this program has no results, and the others do.
	status=0
	timeout -s INT "$((10 * ${limit%[sm]}))${limit: -1}" bin/ebb calm -q "${bound[@]}" --periods "$periods" --batches "$batches" --epoch 50ms \
		-o "$dir/$name" -- "${argv[0]}" "-Debb.operations=$operations" "${argv[@]:1}" 2 >"$dir/$name.txt" || status=$?
	case $status in
	0 | 3 | 4) done+=("$name") ;; # calm, disturbed, not known
	*) echo "chappie: $name gave no results" >&2 ;;
	esac
done
bin/ebb-lab calm "$dir" "${done[@]}" >"$dir/chappie.txt"
echo "chappie: took $((SECONDS / 60)) minutes $((SECONDS % 60)) seconds; the page is $dir/chappie.html" >&2
