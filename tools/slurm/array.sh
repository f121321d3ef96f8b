#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job array evaluates ebb on two nodes of a real Slurm, of which one is killed in the middle. The shards together have the
# bytes that one machine writes: by hand, as root on Debian, some minutes.
#
#   tools/slurm/array.sh [DIRECTORY]     the Debian of two-jobs.sh (default: build/slurm)
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/slurm/cluster.sh
slurm_root "$(realpath -m "${1:-build/slurm}")"
slurm_configure 2 SlurmdTimeout=10
rm -rf "$root/shared"
mkdir "$root/shared"
cp bin/ebb-lab "$root/opt/ebb-lab"
echo "figures=${FIGURES:-9}" >"$root/array.sh"
cat >>"$root/array.sh" <<'C'
. /begin.sh
# Each node has its own processes, and loses them all as a machine does that loses its power.
node() { unshare --pid --mount-proc --propagation unchanged --fork --kill-child slurmd -D -N "$1" & }
node n0
node n1
second=$!
wait_for idle 2
/opt/ebb-lab eval --quick --figure "$figures" -o /shared/one >/dev/null || exit 1
array=$(sbatch --parsable --array=1-8 -c2 -o /var/log/slurm/array-%a.log \
	--wrap "exec /opt/ebb-lab eval --quick --figure $figures --shard \$SLURM_ARRAY_TASK_ID/8 -o /shared/many")
wait_for sh -c 'squeue -h -t running -w n1 | grep -q .'
sleep 1
echo "killed with n1:"; squeue -t running -w n1
kill -9 $second
for _ in $(seq 600); do sleep 1; squeue -h | grep -q . || break; done
sleep 2
sacct -P -D -X -S now-15minutes -o JobID,NodeList,State,Elapsed -j "$array" | tee /tmp/sacct
grep -q 'n1|\(NODE_FAIL\|REQUEUED\)' /tmp/sacct || { echo "no task ended with n1" >&2; exit 1; }
ls /shared/many
/opt/ebb-lab eval --merge -o /shared/many >/dev/null || exit 1
for file in eval.json eval.html; do
	cmp "/shared/one/$file" "/shared/many/$file" || exit 1
	echo "$file has the same bytes"
done
C
slurm_run /array.sh
