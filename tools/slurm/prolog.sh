#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurm's Prolog on nodes with cgroups of version 2 where ebb serve runs: a job that its user submitted with
# --comment=ebb-slowdown=5% becomes a tenant with that budget, until it ends.
#
# The comment is any user's text, and root reads it. Nothing but that form is taken: digits with at most one point, at most 64
# bytes. Whether the user may have that budget is the service's answer to a lease that is asked for as that user (allow.users
# and allow.budgets). The Prolog always succeeds: Slurm would take the node away otherwise.
export LC_ALL=C PATH="${PATH:-/usr/local/bin:/usr/bin:/bin}"
cgroups=/sys/fs/cgroup

# ask_and_join PERCENT: the job's cgroup is there when its first step begins.
ask_and_join() {
	# A service that governs nobody yet begins with this lease, which takes long on a busy machine. The user could take over
	# a process that runs as the user: it has a unit of its own, with which all that it starts ends.
	systemd-run --quiet --wait --collect --uid="$SLURM_JOB_UID" --gid="$SLURM_JOB_GID" --property=RuntimeMaxSec=60 \
		ebb join --slowdown "$1%" -- true || exit 0
	seconds=0
	while [ "$seconds" -lt 60 ]; do
		for group in "$cgroups"/system.slice/slurmstepd.scope/job_"$SLURM_JOB_ID" \
			"$cgroups"/system.slice/*_slurmstepd.scope/job_"$SLURM_JOB_ID"; do
			if [ -d "$group" ]; then
				exec ebb join --slowdown "$1%" --cgroup "$group"
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
if [ "${1-}" = --ask ]; then
	ask_and_join "$2"
fi

comment=${SLURM_JOB_COMMENT-}
percent=${comment#ebb-slowdown=}
percent=${percent%\%}
[ "${#comment}" -le 64 ] && [ "$comment" = "ebb-slowdown=$percent%" ] || exit 0
case $percent in
'' | *[!0-9.]* | .* | *. | *.*.*) exit 0 ;;
esac
# The job does not wait. Slurm ends what a Prolog leaves in its group of processes.
setsid "$0" --hierarchy="$cgroups" --ask "$percent" </dev/null >/dev/null 2>&1 &
exit 0
