#!/bin/bash
# docs.sh DIRECTORY: copies what a reader needs into it, as archives and packages have it.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
mkdir -p "$1"
cp -r LICENSE LICENSES NOTICE README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs "$1"
cp --parents test/README.md test/vm/README.md hpc/README.md tools/slurm/README.md \
	rapl/cpuenergy/doc.go "$1"
chmod -R u=rwX,go=rX "$1" # the checkout may be its owner's alone
