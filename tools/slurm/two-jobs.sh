#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two jobs on one node of a real Slurm, each with its own joules in sacct: by hand, as root on Debian, some minutes.
#
#   tools/slurm/two-jobs.sh [DIRECTORY]     a Debian 12 with Slurm is made there, or used again (default: build/slurm)
#
# The meter is a file that the script turns at 20 W; ebb follows the hierarchy of the freezer where cgroups are of version 1.
# It fails unless both jobs have joules, as many as in ebb's table within 2 J or 5 %, and all parts of the machine are what
# the meter counted.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/slurm/cluster.sh
slurm_root "$(realpath -m "${1:-build/slurm}")"
slurm_configure 1
cat >"$root/run.sh" <<'C'
. /begin.sh
slurmd -N n0
wait_for idle 1
busy() { sbatch --parsable -n1 -o /dev/null --wrap "timeout $1 sh -c 'while :; do :; done'; true"; }
jobs=$(busy 20),$(busy 8)
for _ in $(seq 90); do sleep 1; squeue -h | grep -q . || break; done
sleep 3
echo; echo "ebb's file:"; cat /run/ebb-jobs
echo; sacct -P -o JobID,State,Elapsed,TotalCPU,ConsumedEnergyRaw -j "$jobs" | tee /run/sacct
C

meter=$root/meter/class/powercap/intel-rapl:0
mkdir -p "$meter"
echo package-0 >"$meter/name"; echo 262143328850 >"$meter/max_energy_range_uj"; echo 0 >"$meter/energy_uj"
(for i in $(seq 6000); do printf "%d\n" $((i * 1000000)) 1<>"$meter/energy_uj"; sleep 0.05; done) &
turns=$!
rm -f "$root/run/ebb.prom"
counts() { head -n 1 "$meter/energy_uj"; } # it may grow while it is read
before=$(counts)
bin/ebb energy --machine --hierarchy "$version" --meter-root "$root/meter" --slurm-file "$root/run/ebb-jobs" \
	--textfile "$root/run/ebb.prom" &
ebb=$!
trap 'kill $ebb $turns 2>/dev/null; wait' EXIT
until [ -s "$root/run/ebb.prom" ]; do kill -0 $ebb || exit 1; sleep 0.1; done
since=$(counts) # ebb began before it
slurm_run /run.sh
sleep 2
echo
kill $turns
wait $turns || true
sleep 2
counted=$(($(counts) - before)) least=$(($(counts) - since))
awk -F'|' -v "counted=$counted" -v "least=$least" '
	function bad(why) { print why; failed = 1 }
	FILENAME ~ /sacct$/ { if ($1 ~ /[.]batch$/) had[$1] = $5; next }
	{ split($0, at, " "); value = at[length(at)] }
	/^ebb_machine_energy_joules_total/ { all += value; part = part "  " substr($0, index($0, "part=") + 5) }
	/^ebb_group_energy_joules_total/ {
		groups += value
		if (match($0, /kind="job",name="[^"]*"/)) ebb[substr($0, RSTART + 17, RLENGTH - 18)] = value
	}
	/^ebb_machine_energy_joules_total.*part="groups"/ { whole += value }
	END {
		printf "groups %.9f J; all parts %.9f J, the meter %.6f J:%s\n", groups, all, counted / 1e6, part
		for (job in had) {
			n++
			d = had[job] - ebb[job]; d = d < 0 ? -d : d
			if (had[job] <= 0 || d > 2 && d > 0.05 * ebb[job])
				bad(job ": " had[job] " J in sacct, " ebb[job] " J by ebb")
		}
		if (n != 2) bad(n + 0 " jobs in sacct")
		if (groups - whole > 1e-6 || whole - groups > 1e-6) bad("the groups are not their sum")
		if (all < least / 1e6 || all > counted / 1e6) bad("the parts are not what the meter counted")
		exit failed
	}' "$root/run/sacct" "$root/run/ebb.prom"
