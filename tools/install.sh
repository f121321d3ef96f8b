#!/bin/bash
# install.sh install|uninstall BINARY PREFIX [ROOT]: installs the binary, manual pages, completions,
# systemd units and what other programs take below PREFIX, or removes them, and the libraries of make functions if they are
# beside the binary. A package builder gives the ROOT that stands for / while it builds. COMPLETION
# is an ebb that runs here, where the binary is for another processor. ebb-lab is expected beside both.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022

what=$1 binary=$2 prefix=$3 root=${4:-}
completion=${COMPLETION:-$binary}
if [ "$what" = install ] && { [ ! -x "$binary" ] || [ ! -x "${binary%/*}/ebb-lab" ]; }; then
	echo "install: there is no $binary or no ebb-lab beside it yet: run make first" >&2
	exit 1
fi

# place MODE FILE PLACE: installs FILE as PLACE, or removes PLACE.
place() {
	local to=$root$prefix/$3
	if [ "$what" = uninstall ]; then
		rm -fv -- "$to"
	else
		install -D -m "$1" -- "$2" "$to"
		echo "$to"
	fi
}

made=$(mktemp)
trap 'rm -f "$made"' EXIT
# completes SHELL DIRECTORY PREFIX SUFFIX: for both programs.
completes() {
	local program
	for program in ebb ebb-lab; do
		[ "$what" = uninstall ] || "${completion%/*}/$program" completion "$1" >"$made"
		place 644 "$made" "$2/$3$program$4"
	done
}

place 755 "$binary" bin/ebb
place 755 "${binary%/*}/ebb-lab" bin/ebb-lab
for library in libebb-functions.so libebb-functions.a ebb-functions.jar; do
	if [ "$what" = uninstall ] || [ -f "${binary%/*}/$library" ]; then
		place 644 "${binary%/*}/$library" "lib/ebb/$library"
	else
		echo "install: without $library, which make functions makes" >&2
	fi
done
for page in tools/dist/man/*.1; do
	place 644 "$page" "share/man/man1/${page##*/}"
done
for unit in tools/dist/*.service tools/dist/*.path; do
	sed "s#/usr/local/bin/ebb#$prefix/bin/ebb#" "$unit" >"$made"
	place 644 "$made" "lib/systemd/system/${unit##*/}"
done
# For Prometheus, Grafana and whoever asks the service, to copy from.
for shared in ebb.openapi.json prometheus/ebb.rules.yml grafana/ebb.json; do
	place 644 "tools/dist/$shared" "share/ebb/$shared"
done
completes bash share/bash-completion/completions '' ''
completes zsh share/zsh/site-functions _ ''
completes fish share/fish/vendor_completions.d '' .fish
