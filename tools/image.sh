#!/bin/bash
# Makes an image of ebb and its agent for containers, in build/image: an OCI layout, a tar of it that
# ctr images import takes, one for each processor that docker load takes, and a bill of materials of each program. It needs no daemon, and its bytes depend on
# the commit and the Go release alone. ARCHITECTURES are the processors it is for.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=${BUILDVCS:-auto}"
version=$(cat VERSION)
out=build/image
rm -rf "$out"
mkdir -p "$out"
go -C agent build -buildvcs=false -o "../$out/image" ./cmd/image
binaries=()
for architecture in ${ARCHITECTURES:-amd64 arm64}; do
	to=$out/$architecture
	mkdir "$to"
	tools/goes-on.sh "everything is compiled for $architecture: some minutes" \
		env GOARCH="$architecture" go build -ldflags='-s -w -buildid= -E github.com/ebb-energy/ebb/internal/command.entry' -o "$to/" ./cmd/ebb
	GOARCH=$architecture go -C agent build -ldflags='-s -w -buildid=' -o "../$to/" ./cmd/ebb-agent
	binaries+=("$to/ebb" "$to/ebb-agent")
done
"$out/image" "localhost/ebb:$version" "$out/layout" "${binaries[@]}"
tar -C "$out/layout" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=u+w,go-w \
	-cf "$out/ebb-$version.tar" .
for architecture in ${ARCHITECTURES:-amd64 arm64}; do
	for program in ebb ebb-agent; do
		go run ./tools/sbom "$version" "$out/$architecture/$program" >"$out/$program-$version-$architecture.cdx.json"
	done
	rm -r "${out:?}/$architecture"
done
rm "$out/image"
for architecture in ${ARCHITECTURES:-amd64 arm64}; do
	mv "$out/layout-docker-$architecture.tar" "$out/ebb-$version-docker-$architecture.tar"
done
ls -l "$out"/*.tar
sha256sum "$out"/*.tar
