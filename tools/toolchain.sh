#!/bin/bash
# Prints the directory of a Go that is new enough for go.mod, or nothing if the one in PATH is. Where
# that one is too old and cannot fetch another by itself, as Debian 12's 1.19, this script has it
# download the toolchain as a module. go checks it against the checksum database, and this script
# against the checksum below.
set -euo pipefail
cd "$(dirname "$0")/.."

toolchain=$(sed -n 's/^toolchain go//p' go.mod)
# Those of go.mod's toolchain, as sum.golang.org has them.
declare -A sums=(
	[amd64]=h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM=
	[arm64]=h1:sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc=
)

wanted=$(sed -n 's/^go //p' go.mod)
if ! command -v go >/dev/null; then
	echo "make: ebb needs Go $wanted, and no Go is in PATH. Any version can fetch the right one:" >&2
	echo "make: sudo apt-get install golang-go" >&2
	exit 1
fi
# Go 1.21 and newer fetch what go.mod asks for. Where GOTOOLCHAIN forbids that, they fail here.
found=$({ go version 2>/dev/null || true; } | sed -n 's/^go version go\([0-9.]*\).*/\1/p')
[ "$(printf '%s\n' "$wanted" "${found:-0}" | sort -V | head -n 1)" != "$wanted" ] || exit 0

# Outside of the module an old Go does not stop at go.mod.
cd /
export GOFLAGS='' GOTOOLCHAIN=local GO111MODULE=on
architecture=$(go env GOARCH)
sum=${sums[$architecture]:-}
if [ -z "$sum" ]; then
	echo "make: ebb needs Go $wanted; this is ${found:-unknown}, and for $architecture none can be fetched" >&2
	exit 1
fi
module=golang.org/toolchain@v0.0.1-go$toolchain.linux-$architecture
dir=$(go env GOMODCACHE)/$module
if [ ! -x "$dir/bin/go" ]; then
	echo "make: ebb needs Go $wanted; this is $(go env GOVERSION). Fetching Go $toolchain as a module (some 70 MB)" >&2
	fetched=$(go mod download -json "$module") || {
		printf '%s\n' "$fetched" >&2
		echo "make: Go $toolchain cannot be fetched; https://go.dev/dl has it, too" >&2
		exit 1
	}
	if ! grep -qF "\"Sum\": \"$sum\"" <<<"$fetched"; then
		echo "make: the fetched $module has not the checksum $sum: not used" >&2
		exit 1
	fi
	# A module's files are not executable.
	chmod -R +x "$dir/pkg/tool"
	chmod +x "$dir"/bin/* # last: an interrupted step is done again
fi
printf '%s\n' "$dir/bin"
