#!/bin/bash
# Runs a command that can be silent for minutes, and shows that it goes on: after three seconds a line with
# the reason, then the time every ten seconds. goes-on.sh REASON COMMAND [ARG...]
set -euo pipefail
reason=$1
shift
show() {
	local pause
	exec {pause}<> <(:) # to wait without a process, which would outlive this one
	read -rt 3 -u "$pause" || true
	echo "make: $reason" >&2
	while true; do
		read -rt 10 -u "$pause" || true
		echo "make: it goes on, ${SECONDS} s so far" >&2
	done
}
show </dev/null &
shown=$!
trap 'kill "$shown" 2>/dev/null || true' EXIT
"$@"
