#!/bin/bash
# Installs the missing Debian packages of packages.txt by apt-get as root. As another user it prints
# the command and goes on: tests that need the packages are skipped or say so.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "packages: no Debian system, nothing installed (packages.txt has the list)" >&2
	exit 0
fi
mapfile -t wanted < <(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' packages.txt)
# dpkg-query fails if it does not know one of the names; its list of the others is complete.
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for p in "${wanted[@]}"; do
	grep -qx "installed $p" <<<"$installed" || missing+=("$p")
done
if [ ${#missing[@]} -eq 0 ]; then
	exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
	echo "packages: to install them, run: sudo apt-get install --no-install-recommends ${missing[*]}" >&2
	exit 0
fi
echo "packages: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
# The list may be older than the mirror's files; an update comes only when there is something to install.
install() { apt-get -q -y install --no-install-recommends "$@" >&2; }
apt-get -q update >&2 || true
if ! install "${missing[@]}"; then
	# A package that this release lacks must not stop the others.
	for p in "${missing[@]}"; do
		install "$p" || echo "packages: going on without $p" >&2
	done
fi
