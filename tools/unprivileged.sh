#!/bin/bash
# When make test runs as root, runs the tests of refused accesses as the user nobody: root is refused
# little, so they were skipped. As another user there is nothing to do: go test has run them.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
	exit 0
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"

as_nobody() { # package, tests
	CGO_ENABLED=0 go test -c -o "$dir/test" "./$1"
	# The user nobody may have no access to the checkout's directory.
	rm -rf "$dir/testdata"
	if [ -d "$1/testdata" ]; then
		cp -r "$1/testdata" "$dir"
		chmod -R a+rX "$dir/testdata"
	fi
	if ! (cd "$dir" && setpriv --reuid 65534 --regid 65534 --clear-groups ./test -test.v -test.run "$2") >"$dir/log" ||
		grep -q -e '--- SKIP' -e 'no tests to run' "$dir/log"; then
		cat "$dir/log"
		echo "unprivileged: $1 as nobody: failed or skipped" >&2
		exit 1
	fi
	echo "ok  	$1 as nobody: $2"
}
as_nobody internal/linux/sysfs '^TestPermission$'
as_nobody cpufreq '^TestReadOnlyControlsMeanShadowMode$'
as_nobody rapl '^TestPermission$'
