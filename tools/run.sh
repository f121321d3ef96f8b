#!/bin/bash
# Governs a bundled multithreaded workload for about 10 s: the Java one if Java is installed, otherwise
# the Go one. ebb needs root; as another user the script uses sudo, or prints the command.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build/workloads
if command -v java >/dev/null && command -v javac >/dev/null; then
	javac -d build/workloads/java-contend.classes test/workloads/java/Contend.java
	target=(java -cp build/workloads/java-contend.classes Contend 4 10)
else
	CGO_ENABLED=0 go build -trimpath -o build/workloads/contend ./test/workloads/go
	target=(build/workloads/contend 4 10)
fi
command=(bin/ebb run --slowdown 5% -- "${target[@]}")
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "run: ebb needs root. As root, in $PWD: ${command[*]}" >&2
		exit 1
	fi
	command=(sudo "${command[@]}")
fi
echo "+ ${command[*]}" >&2
exec "${command[@]}"
