#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two jobs on one node of a real Slurm, each with its own joules in sacct: by hand, as root on Debian, some minutes.
#
#   tools/slurm/two-jobs.sh [DIRECTORY]     a Debian 12 with Slurm is made there, or used again (default: build/slurm)
#
# The meter is a file that the script turns at 20 W; ebb follows the hierarchy of the freezer where cgroups are of version 1.
# At the end it compares what all parts of the machine had with what the meter counted.
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
echo; sacct -P -o JobID,State,Elapsed,TotalCPU,ConsumedEnergyRaw -j "$jobs"
C

meter=$root/meter/class/powercap/intel-rapl:0
mkdir -p "$meter"
echo package-0 >"$meter/name"; echo 262143328850 >"$meter/max_energy_range_uj"; echo 0 >"$meter/energy_uj"
(for i in $(seq 6000); do printf "%d\n" $((i * 1000000)) 1<>"$meter/energy_uj"; sleep 0.05; done) &
turns=$!
bin/ebb energy --machine --hierarchy "$version" --meter-root "$root/meter" --slurm-file "$root/run/ebb-jobs" \
	--textfile "$root/run/ebb.prom" &
ebb=$!
trap 'kill $ebb $turns; wait' EXIT
slurm_run /run.sh
sleep 2
echo
awk '/^ebb_machine_energy_joules_total/ { all += $NF; part = part "  " substr($0, index($0, "part=") + 5); }
	/^ebb_group_energy_joules_total/ { groups += $NF }
	END { printf "groups %.9f J; all parts %.9f J:%s\n", groups, all, part }' "$root/run/ebb.prom"
