#!/bin/bash
# Makes the Debian package of this machine's architecture in build/deb, from the tree as it is.
# deb.sh ARCHITECTURE BINARIES OUT makes it in OUT of an ebb and an ebb-lab that are built already, with
# the libraries of make functions if they lie beside them; COMPLETION is an ebb that runs here. The bytes
# depend on the tree, the binaries and their commit's time (or SOURCE_DATE_EPOCH), whoever builds and
# wherever. COMPRESSION=gzip is quicker than xz.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC DPKG_DEB_THREADS_MAX=1
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y VERSION)}
export SOURCE_DATE_EPOCH

if ! command -v dpkg-deb >/dev/null; then
	echo "deb: there is no dpkg-deb: install dpkg" >&2
	exit 1
fi
architecture=${1:-$(go env GOARCH)} binaries=${2:-build/deb/bin} out=${3:-build/deb}
if [ $# -eq 0 ]; then
	vcs=$(git status >/dev/null 2>&1 && echo true || echo false)
	mkdir -p "$binaries"
	CGO_ENABLED=0 go build -trimpath -buildvcs="$vcs" -o "$binaries/" \
		-ldflags='-s -w -buildid= -E github.com/ebb-energy/ebb/internal/command.entry' ./cmd/ebb ./cmd/ebb-lab
fi
version=$(cat VERSION)
mkdir -p "$out"
root=$(mktemp -d)
chmod 755 "$root"
trap 'rm -rf "$root"' EXIT

tools/install.sh install "$binaries/ebb" /usr "$root" >/dev/null 2>&1 ||
	tools/install.sh install "$binaries/ebb" /usr "$root"
gzip -9n "$root"/usr/share/man/man1/*
doc=$root/usr/share/doc/ebb
tools/docs.sh "$doc"
cp tools/debian/copyright "$doc"
mkdir "$doc/examples"
cp internal/app/config/tenants.toml "$doc/examples"
printf 'ebb (%s) unstable; urgency=medium\n\n  * CHANGELOG.md has the changes.\n\n -- %s  %s\n' "$version" \
	"$(sed -n 's/^Maintainer: //p' tools/debian/control)" "$(date -R -d "@$SOURCE_DATE_EPOCH")" |
	gzip -9n >"$doc/changelog.gz"
install -D -m 644 tools/debian/lintian-overrides "$root/usr/share/lintian/overrides/ebb"
install -d "$root/etc/ebb/tenants.d"
install -m 644 internal/app/config/ebb.toml tools/debian/ebb.env "$root/etc/ebb"

control=$root/DEBIAN
mkdir "$control"
for script in preinst postinst prerm postrm; do
	install -m 755 "tools/debian/$script" "$control"
done
(cd "$root" && find etc -type f | sort | sed 's|^|/|') >"$control/conffiles"
(cd "$root" && find usr -type f | sort | xargs -d '\n' md5sum) >"$control/md5sums"
# As dpkg-gencontrol counts: each file in whole KiB, all else one KiB.
size=$(cd "$root" && find etc usr -printf '%y %s\n' | awk '{ n += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print n }')
sed "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/" tools/debian/control >"$control/control"
chmod -R u=rwX,go=rX "$root"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
deb=$out/ebb_${version}_$architecture.deb
dpkg-deb --root-owner-group -Z"${COMPRESSION:-xz}" --build "$root" "$deb" >/dev/null
echo "$deb"
