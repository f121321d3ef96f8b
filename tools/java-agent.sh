#!/bin/sh
# Makes the agent for Java programs that count their calls in a DIRECTORY, where there are a JDK and
# libasm-java. Its time stamps are those of the commit.
set -eu
cd "$(dirname "$0")/.."
out=$1
for tool in javac jar; do
	command -v "$tool" >/dev/null || missing="${missing:-} $tool"
done
[ -f /usr/share/java/asm.jar ] || missing="${missing:-} libasm-java"
if [ -n "${missing:-}" ]; then
	echo "functions: without ebb-functions.jar for Java programs: there is no$missing" >&2
	exit 0
fi
made=$(git log -1 --format=%ct 2>/dev/null || date +%s)
make -s -C internal/calls/java OUT="$(realpath --relative-to internal/calls/java "$out")" DATE="$(date -u -d "@$made" +%Y-%m-%dT%H:%M:%SZ)"
