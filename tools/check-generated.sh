#!/bin/bash
# Regenerates the BPF objects and their Go files and fails if they differ from the committed ones.
# Without the pinned clang it says so and checks nothing; continuous integration installs it first.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v clang-14 >/dev/null || ! command -v llvm-strip-14 >/dev/null; then
	echo "check-generated: clang-14 is not installed, nothing checked (see tools/packages.txt)" >&2
	exit 0
fi
was=$(mktemp -d)
trap 'rm -rf "$was"' EXIT
mapfile -t files < <(find . -name '*_bpfel*.go' -o -name '*_bpfel*.o' | sort)
cp --parents "${files[@]}" "$was"
make --no-print-directory generate
differing=()
mapfile -t files < <({ printf '%s\n' "${files[@]}"; find . -name '*_bpfel*.go' -o -name '*_bpfel*.o'; } | sort -u)
for f in "${files[@]}"; do
	cmp -s "$f" "$was/$f" || differing+=("$f")
done
if [ ${#differing[@]} -ne 0 ]; then
	echo "check-generated: make generate changes ${differing[*]}: commit its result" >&2
	exit 1
fi
