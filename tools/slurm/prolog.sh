#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurm's Prolog on nodes with cgroups of version 2 where ebb serve runs: a job that its user submitted with
# --comment=ebb-slowdown=5% becomes a tenant with that budget, until it ends.
#
# The comment is any user's text, and root reads it. Nothing but that form is taken: digits with at most one point, at most 64
# bytes. Whether the user may have that budget is the service's answer to root, who asks for that user (allow.users and
# allow.budgets). The Prolog always succeeds: Slurm would take the node away otherwise.
export LC_ALL=C PATH="${PATH:-/usr/local/bin:/usr/bin:/bin}"
cgroups=/sys/fs/cgroup

# join PERCENT: the job's cgroup is there when its first step begins.
join() {
	seconds=0
	while [ "$seconds" -lt 60 ]; do
		for group in "$cgroups"/system.slice/slurmstepd.scope/job_"$SLURM_JOB_ID" \
			"$cgroups"/system.slice/*_slurmstepd.scope/job_"$SLURM_JOB_ID"; do
			if [ -d "$group" ]; then
				# Until the job ends. A service that begins anew, or is asked too often, may say no once.
				ebb join --for "$SLURM_JOB_UID" --slowdown "$1%" --cgroup "$group" && exit 0
				seconds=$((seconds + 9))
				sleep 9
			fi
		done
		sleep 1
		seconds=$((seconds + 1))
	done
	exit 0
}

case ${1-} in
--hierarchy=*) # a test's
	cgroups=${1#--hierarchy=}
	shift
	;;
esac
if [ "${1-}" = --join ]; then
	join "$2"
fi

comment=${SLURM_JOB_COMMENT-}
percent=${comment#ebb-slowdown=}
percent=${percent%\%}
[ "${#comment}" -le 64 ] && [ "$comment" = "ebb-slowdown=$percent%" ] || exit 0
case $percent in
'' | *[!0-9.]* | .* | *. | *.*.*) exit 0 ;;
esac
# The job does not wait, not even for a systemd that does not answer. When the Prolog has ended, Slurm ends what is left in its group of processes, so the rest is a unit's.
timeout 5 systemd-run --quiet --collect --no-block --setenv=PATH="$PATH" --setenv=SLURM_JOB_ID="$SLURM_JOB_ID" \
	--setenv=SLURM_JOB_UID="$SLURM_JOB_UID" "$0" --hierarchy="$cgroups" --join "$percent" </dev/null >/dev/null
exit 0
