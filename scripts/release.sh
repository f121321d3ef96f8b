#!/bin/bash
# Makes what a release consists of, in build/release: for each architecture an archive to unpack in
# / with the static binary, the libraries of make functions where the C compiler makes them for it,
# manual pages, completions, units, docs and licences, and a bill of materials; and the checksums of
# all. The bytes depend on the commit, the Go release and the C compiler alone, so two builds are the
# same. Without ownership of the checkout git refuses it, and so does this.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC CGO_ENABLED=0 GOFLAGS=-buildvcs=true

if [ -n "$(git status --porcelain)" ]; then
	echo "release: files differ from the commit; a release is made from a commit" >&2
	exit 1
fi
version=$(sed -n 's/^const Release = "\(.*\)"$/\1/p' internal/command/version.go)
date=@$(git log -1 --format=%ct)
out=build/release
rm -rf "$out"
mkdir -p "$out"
build() { go build -trimpath -ldflags='-s -w -buildid=' -o "$out/$1" ./cmd/ebb; }
build here
go build -o "$out/sbom" ./dist/sbom
for architecture in amd64 arm64; do
	name=ebb-$version-linux-$architecture
	GOARCH=$architecture build ebb
	rm -f "$out"/libebb-functions.*
	[ "$architecture" != "$(go env GOHOSTARCH)" ] || make -s -C functions/runtime OUT="$PWD/$out" CC=gcc CFLAGS=-O2
	"$out/sbom" "$version" "$out/ebb" >"$out/$name.cdx.json"
	COMPLETION=$out/here scripts/install.sh install "$out/ebb" /usr/local "$out/$name" >/dev/null
	mkdir -p "$out/$name/usr/local/share/doc/ebb"
	cp -r LICENSE LICENSES NOTICE README.md docs "$out/$name/usr/local/share/doc/ebb"
	tar -C "$out/$name" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$date" --mode=u+w,go-w \
		-c usr | gzip -n -9 >"$out/$name.tar.gz"
	rm -r "${out:?}/$name"
done
rm -f "$out"/{ebb,here,sbom} "$out"/libebb-functions.*
(cd "$out" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)
