# Debian's kernels for virtual machines, sourced by tools/test-vm.sh and tools/test-arm64.sh, which say in $work where they go.
architecture=amd64

# Lists and packages are kept apart from this machine's: its sources stay unchanged.
apt() {
	"$1" -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$work/lists" \
		-o Dir::Cache="$work/cache" -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User="$(id -un)" -o APT::Update::Error-Mode=any -o Acquire::Retries=2 -o Acquire::http::Timeout=30 -o Debug::NoLocking=1 "${@:2}"
}
# Mirrors fail now and then.
persist() {
	local pause
	for pause in 5 20 0; do
		"$@" && return 0
		sleep "$pause"
	done
	return 1
}
depends() { apt apt-cache depends -t "$1" "$2" | sed -n "s/^ *Depends: \($3\)$/\1/p" | head -1; }

# kernel DIR SUITE: kernel and headers of a suite of Debian, unpacked below $work, and for another architecture the kernel alone. It
# comes through its metapackage, so that the headers have the same version. $missing says why it fails.
# With FLAVOUR, as in kernel DIR SUITE rt, it is that kernel of the suite's, alone; generic is the one that has no flavour, with headers.
kernel() {
	local dir=$work/$1 suite=$2 flavour=${3:-cloud} meta
	meta=linux-image-$flavour-$architecture
	meta=${meta/generic-/}
	[ -e "$dir/ready" ] && return 0
	rm -rf "$dir" "$work/debs" "$work/lists"
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$dir" "$work/debs"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite main" \
		>"$work/sources.list"
	persist apt apt-get update >&2 || { missing="$suite is unreachable"; return 1; }
	local image headers packages
	image=$(depends "$suite" "$meta" 'linux-image-.*') || true
	[ -n "$image" ] || { missing="$suite has no kernel"; return 1; }
	packages=("$image")
	if [ "$architecture" = amd64 ] && [[ ${3:-generic} = generic ]]; then
		headers=linux-headers-${image#linux-image-}
		packages+=("$headers" "$(depends "$suite" "$headers" 'linux-headers-.*-common')" "$(depends "$suite" "$headers" 'linux-kbuild-.*')")
	fi
	(cd "$work/debs" && persist apt apt-get download "${packages[@]}" >&2) || { missing="$image cannot be downloaded"; return 1; }
	for deb in "$work"/debs/*.deb; do
		dpkg-deb -x "$deb" "$dir" || { missing="$deb cannot be unpacked"; return 1; }
	done
	# The headers name the common ones by their place on an installed system.
	[ -z "${headers:-}" ] || sed -i "s#include /usr/src#include $dir/usr/src#" "$dir/usr/src/$headers/Makefile"
	echo "${image#linux-image-}" >"$dir/ready"
	rm -rf "$work/debs" "$work/lists" "$work/cache"
}

# archive DIR FILE: what is below a directory, as the kernel unpacks it.
archive() { (cd "$1" && find . | cpio -o -H newc --quiet) >"$2"; }

# platform KERNEL: the platform's module, without type information, which would need pahole and is not used.
platform() {
	local dir=$work/platform-$1 file
	mkdir -p "$dir"
	for file in test/vm/platform/*; do
		cmp -s "$file" "$dir/${file##*/}" || cp "$file" "$dir"
	done
	make -s -C "$work/$1/usr/src/linux-headers-$(cat "$work/$1/ready")" M="$dir" CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$dir.log" 2>&1 || {
		cat "$dir.log" >&2
		exit 1
	}
}

# With -icount time in the machine follows its instructions, 2 ns each, independent of the host's
# load. Clock, seed and CPU placement are fixed, so that two boots differ little.
icount=(-accel "tcg,thread=single" -icount "shift=1,sleep=off" -smp 1 -rtc "base=2026-01-01,clock=vm" -seed 1)
