#!/bin/bash
# Makes two Debian packages in a directory, for tests of an upgrade: deb-pair.sh OUT writes old.deb, of
# this tree, and new.deb, the next version with the same binaries.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p build/deb/bin "$1"
tools/deb.sh >/dev/null
cp -r --parents VERSION LICENSE LICENSES NOTICE README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md \
	SECURITY.md docs tools internal/app/config test/README.md test/vm/README.md hpc/README.md \
	rapl/cpuenergy/doc.go "$work"
version=$(cat VERSION)
echo "$version.1" >"$work/VERSION"
SOURCE_DATE_EPOCH=$(date +%s) COMPRESSION=gzip "$work/tools/deb.sh" "$(go env GOARCH)" \
	"$PWD/build/deb/bin" "$work/next" >/dev/null
cp "build/deb/ebb_${version}_"*.deb "$1/old.deb"
cp "$work"/next/*.deb "$1/new.deb"
