#!/bin/bash
# Installs the missing Debian packages of tools/packages.txt by apt-get as root. As another user it prints
# the command and goes on: tests that need the packages are skipped or say so.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "packages: no Debian system, nothing installed (tools/packages.txt has the list)" >&2
	exit 0
fi
# A line names a package, or several of which the first that the release has is taken: a|b.
mapfile -t lines < <(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' tools/packages.txt)
mapfile -t names < <(printf '%s\n' "${lines[@]}" | tr '|' '\n')
# dpkg-query fails if it does not know one of the names; its list of the others is complete.
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${names[@]}" 2>/dev/null |
	sed -n 's/^installed //p' || true)

# first LIST NAME|NAME...: the first of the names that the list has, a line each.
first() {
	local name
	for name in ${2//|/ }; do
		if grep -qx -- "$name" <<<"$1"; then
			echo "$name"
			return
		fi
	done
	return 1
}

missing=()
for line in "${lines[@]}"; do
	first "$installed" "$line" >/dev/null || missing+=("$line")
done
if [ ${#missing[@]} -eq 0 ]; then
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
# The list may be older than the mirror's files; an update comes only when there is something to install.
[ "$(id -u)" -ne 0 ] || apt-get -q update >&2 || true
known=$(apt-cache pkgnames 2>/dev/null || true)
wanted=() absent=()
for line in "${missing[@]}"; do
	if [ -z "$known" ]; then # apt has no list at all, so it says itself what it lacks
		wanted+=("${line%%|*}")
	elif name=$(first "$known" "$line"); then
		wanted+=("$name")
	else
		absent+=("$line")
	fi
done
[ ${#absent[@]} -eq 0 ] ||
	echo "packages: this release has no ${absent[*]}: what needs them is left out, and says so" >&2
[ ${#wanted[@]} -gt 0 ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
	echo "packages: to install them, run: sudo apt-get install --no-install-recommends ${wanted[*]}" >&2
	exit 0
fi
echo "packages: installing ${wanted[*]}" >&2
install() { apt-get -q -y install --no-install-recommends "$@" >&2; }
if ! install "${wanted[@]}"; then
	# A package that cannot be installed must not stop the others.
	for name in "${wanted[@]}"; do
		install "$name" || echo "packages: going on without $name" >&2
	done
fi
