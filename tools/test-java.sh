#!/bin/bash
# Runs the tests of calls of Java methods in a Debian 13 root, with its OpenJDK 21 and 25, its asm and its
# compiler. As root; test-java.sh [ROOT]: mmdebstrap makes the root the first time (build/java, some
# minutes). Sources, Go and its caches are this machine's; mounts are in a namespace of their own.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(realpath -m "${1:-build/java}")
[ -e "$root/var/lib/dpkg/status" ] || mmdebstrap --variant=minbase \
	--include=openjdk-21-jdk-headless,openjdk-25-jdk-headless,libasm-java,gcc,libc6-dev,make \
	"${SUITE:-trixie}" "$root"
log=$root/java.log
caches=("$PWD" "$(go env GOROOT)" "$(go env GOCACHE)" "$(go env GOMODCACHE)")
(cd test/e2e && go test -run '^$' . >/dev/null) # compiled here, so that its time is not in the tests'
# shellcheck disable=SC2016
unshare --mount sh -ec 'root=$1 path=$2 && shift 2 && mount --make-rprivate / &&
	mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev" &&
	for dir in "$@"; do mkdir -p "$root$dir" && mount --bind "$dir" "$root$dir"; done &&
	exec chroot "$root" env PATH="$path:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root GOFLAGS=-buildvcs=false \
		sh -ec "cd \"$1\" && for tests in ./internal/calls ./test/e2e; do
			go test -count 1 -timeout 20m -v -run ^TestJava \$tests; done"' \
	sh "$root" "$(go env GOROOT)/bin" "${caches[@]}" | tee "$log" | grep -E '^(ok|FAIL|panic)|^ *--- '
# A test that was skipped has not passed, and each JDK has its own.
! grep -q -e '--- SKIP' -e '^FAIL' "$log" && grep -q -e '--- PASS: TestJavaFunctions/java ' "$log" &&
	grep -q -e '--- PASS: TestJavaFunctions//usr/lib/jvm/java-.*21' "$log"
