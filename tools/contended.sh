#!/bin/bash
# Usage: tools/contended.sh EBB DIR
# Records programs that share their CPUs with others, or run under a quota, into epoch tables in
# DIR, and measures by the clock how long twice the work takes beside the same others, without ebb.
# DIR/pairs.csv gets a line for each: the table, and the median of three times of twice the work,
# in ns. predictor/testdata/contended was made so. Needs root, gcc and two CPUs; what
# else runs on the machine should be little.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -ne 2 ]; then
	sed -n 's/^# \(Usage: .*\)/\1/p' "$0" >&2
	exit 2
fi
ebb=$(realpath "$1")
mkdir -p "$2" build/contended
out=$(cd "$2" && pwd)
w=$PWD/build/contended
for name in spin parallel bursts; do
	gcc -std=gnu11 -O2 -Wall -Wextra -Werror -pthread -o "$w/$name" "test/workloads/c/$name.c"
done
on=(taskset -c $(($(nproc) - 1)))
beside=()

# beside_run starts a program on the same CPU that goes on beside the next ones.
beside_run() { # nice level, command
	(
		echo "$BASHPID" >"$group/cgroup.procs"
		exec nice -n "$1" "${on[@]}" "${@:2}" >/dev/null
	) &
	beside+=($!)
}
# alone ends them.
alone() {
	for pid in "${beside[@]}"; do
		kill "$pid" && wait "$pid" || true
	done 2>/dev/null
	beside=()
	if [ "$group" != "$all/others" ]; then
		rmdir "$group" || true
		group=$all/others
	fi
}
trap 'alone; sleep 0.2; rmdir "$all/others" "$all" || true' EXIT

# All run in a cgroup whose weight leaves little to the machine's other programs: of version 2 where
# its controller is there, otherwise of version 1.
hierarchy=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$hierarchy" ] && grep -qw cpu "$hierarchy/cgroup.controllers"; then
	version=2
	echo +cpu >"$hierarchy/cgroup.subtree_control"
else
	version=1
	hierarchy=$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ { print $2; exit }' /proc/mounts)
fi
all=$hierarchy/ebb-contended
mkdir -p "$all/others"
if [ "$version" = 2 ]; then
	echo 10000 >"$all/cpu.weight"
	echo +cpu >"$all/cgroup.subtree_control"
else
	echo 262144 >"$all/cpu.shares"
fi
group=$all/others

# within runs a command in the present group, at a nice level.
within() {
	local level=$1
	shift
	(
		echo "$BASHPID" >"$group/cgroup.procs"
		exec nice -n "$level" "$@"
	)
}

# quota makes a group whose members may use a share of a CPU, in %.
quota() {
	group=$all/quota
	mkdir -p "$group"
	if [ "$version" = 2 ]; then
		echo "$(($1 * 1000)) 100000" >"$group/cpu.max"
	else
		echo 100000 >"$group/cpu.cfs_period_us"
		echo "$(($1 * 1000))" >"$group/cpu.cfs_quota_us"
	fi
}

# pair records a command whose last argument is its work, and times it with twice as much.
pair() { # name, nice level, command without its work, work
	local name=$1 level=$2 n=$# from times=()
	local work=${!n}
	local command=("${@:3:n-3}")
	within "$level" "$ebb" record --quiet --epochs "$out/$name.csv.gz" -- "${command[@]}" "$work" >/dev/null
	for _ in 1 2 3; do
		from=$(date +%s%N)
		within "$level" "${command[@]}" $((2 * work)) >/dev/null
		times+=($(($(date +%s%N) - from)))
	done
	printf '%s.csv.gz,%s\n' "$name" "$(printf '%s\n' "${times[@]}" | sort -n | sed -n 2p)" >>"$out/pairs.csv"
	alone
}

echo "table,twice_ns" >"$out/pairs.csv"
pair alone 0 "${on[@]}" "$w/spin" 400
beside_run 0 "$w/spin" 100000000
pair spinner 0 "${on[@]}" "$w/spin" 400
beside_run 0 "$w/bursts" 4000 6000
pair bursts 0 "${on[@]}" "$w/spin" 600
beside_run 0 "$w/spin" 100000000
pair lower-priority 3 "${on[@]}" "$w/spin" 300
beside_run 3 "$w/spin" 100000000
pair higher-priority 0 "${on[@]}" "$w/spin" 400
quota 50
pair quota-50 0 "${on[@]}" "$w/spin" 600
quota 25
pair quota-25 0 "${on[@]}" "$w/spin" 300
quota 90
pair quota-90 0 "${on[@]}" "$w/spin" 800
quota 100
pair quota-two-threads 0 "$w/parallel" 2 400
pair threads 0 "${on[@]}" "$w/parallel" 4 150
beside_run 0 "$w/spin" 100000000
pair threads-spinner 0 "${on[@]}" "$w/parallel" 3 150
