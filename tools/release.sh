#!/bin/bash
# Makes what a release consists of, in build/release: for each architecture an archive to unpack in
# / with the static binary, the libraries of make functions where the C compiler makes them for it,
# manual pages, completions, units, docs and licences, a Debian package of the same, and a bill of
# materials; and the checksums of all. The bytes depend on the commit, the Go release, the C compiler, the JDK and libasm-java alone,
# so two builds are the same. Without ownership of the checkout git refuses it, and so does this.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC CGO_ENABLED=0 GOFLAGS=-buildvcs=true

if [ -n "$(git status --porcelain)" ]; then
	echo "release: files differ from the commit; a release is made from a commit" >&2
	exit 1
fi
version=$(cat VERSION)
date=@$(git log -1 --format=%ct)
out=build/release
rm -rf "$out"
mkdir -p "$out"
build() { mkdir -p "$out/$1" && go build -trimpath -ldflags='-s -w -buildid= -E github.com/ebb-energy/ebb/internal/command.entry' -o "$out/$1/" ./cmd/ebb ./cmd/ebb-lab; }
build here
go build -o "$out/sbom" ./tools/sbom
for architecture in amd64 arm64; do
	name=ebb-$version-linux-$architecture
	GOARCH=$architecture build there
	rm -f "$out"/there/libebb-functions.* "$out"/there/ebb-functions.jar
	if [ "$architecture" = "$(go env GOHOSTARCH)" ]; then
		make -s -C internal/calls/runtime OUT="$PWD/$out/there" CC=gcc CFLAGS=-O2
		tools/java-agent.sh "$out/there"
	fi
	"$out/sbom" "$version" "$out/there/ebb" >"$out/$name.cdx.json"
	COMPLETION=$out/here/ebb tools/install.sh install "$out/there/ebb" /usr/local "$out/$name" >/dev/null
	tools/docs.sh "$out/$name/usr/local/share/doc/ebb"
	COMPLETION=$out/here/ebb tools/deb.sh "$architecture" "$out/there" "$out" >/dev/null
	tar -C "$out/$name" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$date" --mode=u+w,go-w \
		-c usr | gzip -n -9 >"$out/$name.tar.gz"
	rm -r "${out:?}/$name"
done
rm -r "$out"/{here,there,sbom}
(cd "$out" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)
