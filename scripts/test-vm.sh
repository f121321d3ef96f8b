#!/bin/bash
# Boots virtual machines whose first process is the tests of test/vm, with the kernel of Debian's
# backports, and reports the results. It installs nothing and changes nothing on this machine: it
# unpacks kernel and headers below build/vm, where they stay for the next time. If something is
# missing, such as the network, it says so and skips. RUN=PATTERN runs the tests whose names match,
# SEED=N seeds the random ones, KILLS=N kills ebb N times, HIDDEN=N judges N machines of hidden physics.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/vm
mkdir -p "$work"
exec 9>"$work/lock"
flock 9 # another one may be at it

skip() {
	echo "test-vm: skipped: $*" >&2
	exit 0
}
for tool in qemu-system-x86_64 dpkg-deb apt-get make gcc-12 cpio xz iasl; do
	command -v "$tool" >/dev/null || skip "no $tool (packages.txt has what it needs)"
done
[ "$(uname -m)" = x86_64 ] || skip "the virtual machines are x86-64"

# The backports' lists and packages are kept apart from this machine's: its sources stay unchanged.
apt() {
	"$1" -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$work/lists" \
		-o Dir::Cache="$work/cache" -o APT::Sandbox::User="$(id -un)" -o APT::Update::Error-Mode=any -o Acquire::Retries=2 -o Acquire::http::Timeout=30 -o Debug::NoLocking=1 "${@:2}"
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
depends() { apt apt-cache depends -t bookworm-backports "$1" | sed -n "s/^ *Depends: \($2\)$/\1/p" | head -1; }

# Kernel and headers, unpacked. The kernel comes through its metapackage, so that the headers have
# the same version.
kernel() {
	[ -e "$work/kernel/ready" ] && return 0
	rm -rf "$work/kernel" "$work/debs"
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/kernel" "$work/debs"
	echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm-backports main' \
		>"$work/sources.list"
	persist apt apt-get update >&2 || skip "Debian's backports are unreachable"
	local image headers common kbuild
	image=$(depends linux-image-cloud-amd64 'linux-image-.*') || true
	[ -n "$image" ] || skip "Debian's backports have no kernel"
	headers=linux-headers-${image#linux-image-}
	common=${headers%-cloud-amd64}-common
	kbuild=linux-kbuild-${image#linux-image-}
	kbuild=${kbuild%-cloud-amd64}
	(cd "$work/debs" && persist apt apt-get download "$image" "$headers" "$common" "$kbuild" >&2) || skip "the kernel cannot be downloaded"
	for deb in "$work"/debs/*.deb; do
		dpkg-deb -x "$deb" "$work/kernel"
	done
	# The headers name the common ones by their place on an installed system.
	sed -i "s#include /usr/src#include $work/kernel/usr/src#" "$work/kernel/usr/src/$headers/Makefile"
	echo "${image#linux-image-}" >"$work/kernel/ready"
	rm -rf "$work/debs" "$work/lists" "$work/cache"
}

# The platform's module, without type information, which would need pahole and is not used.
platform() {
	mkdir -p "$work/platform"
	local file
	for file in test/vm/platform/*; do
		cmp -s "$file" "$work/platform/${file##*/}" || cp "$file" "$work/platform"
	done
	make -s -C "$work/kernel/usr/src/linux-headers-$release" M="$work/platform" CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$work/platform.log" 2>&1 || {
		cat "$work/platform.log" >&2
		exit 1
	}
}

initramfs() {
	local root=$work/root
	rm -rf "$root"
	mkdir -p "$root"/{bin,lib}
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$root/bin/ebb" ./cmd/ebb
	CGO_ENABLED=0 go test -c -o "$root/init" ./test/vm
	CGO_ENABLED=0 go test -c -o "$root/bin/attacker" ./test/hostile
	gcc -O1 -static -pthread -o "$root/bin/load" test/vm/load/load.c
	make -s -C functions/runtime OUT="$work/functions"
	for program in functions sort; do
		gcc -O1 -static -pthread -finstrument-functions -Wl,--build-id -o "$root/bin/$program" "test/vm/functions/$program.c" "$work/functions/libebb-functions.a"
	done
	strip --strip-debug -o "$root/lib/platform.ko" "$work/platform/platform.ko"
	for m in cpufreq_userspace acpi-cpufreq; do
		xz -dc "$work/kernel/lib/modules/$release/kernel/drivers/cpufreq/$m.ko.xz" >"$root/lib/$m.ko"
	done
	(cd "$root" && find . | cpio -o -H newc --quiet) >"$work/root.cpio"
}

# boot NAME MODULES TESTS SKIPPED [QEMU FLAGS]. The processor is Skylake-SP to ebb's table of events. Without cx16: QEMU 7.2 now and
# then gives wrong flags after cmpxchg16b.
boot() {
	local log=$work/$1.log
	timeout "$((900 + 3 * ${KILLS:-8} + 30 * ${HIDDEN:-4}))" qemu-system-x86_64 -M q35 -cpu max,vendor=GenuineIntel,family=6,model=85,stepping=4,-cx16 -m 512 \
		-nodefaults -display none -no-reboot -serial stdio -kernel "$work/kernel/boot/vmlinuz-$release" -initrd "$work/root.cpio" \
		-append "console=ttyS0 quiet panic=-1 mitigations=off modules=$2 kills=${KILLS:-8} -- -seed=${SEED:-1} -hidden=${HIDDEN:-4} -test.v -test.run=$3${4:+ -test.skip=$4}" "${@:5}" \
		</dev/null 2>&1 | tr -d '\r' >"$log" || true
	if ! grep -q "^guest: exit 0$" "$log"; then
		cat "$log" >&2
		echo "test-vm: $1: failed" >&2
		return 1
	fi
	grep -E '^ *--- |^ +.*_test.go.*: (governed|killed|at |without|hidden)' "$log"
	echo "ok  	test/vm, $1"
}

# With -icount time in the machine follows its instructions, 2 ns each, independent of the host's
# load. Clock, seed and CPU placement are fixed, so that two boots differ little.
icount=(-accel "tcg,thread=single" -icount "shift=1,sleep=off" -smp 1 -rtc "base=2026-01-01,clock=vm" -seed 1)

# The same work has taken the same time and energy in two machines, within 0.2 %.
reproducible() {
	paste <(grep ^static: "$work/$1.log") <(grep ^static: "$work/$2.log") | awk '
		function off(a, b) { d = b / a - 1; if (d < 0) d = -d; if (d > most) most = d }
		NF != 12 || $2 != $8 || $3 != $9 { wrong = 1 }
		{ off($4, $10); off($5, $11); off($6, $12) }
		END {
			printf "two boots: %d static runs, figures at most %.4f %% apart\n", NR, 100 * most
			exit wrong || NR == 0 || most > 0.002
		}'
}

kernel
release=$(cat "$work/kernel/ready")
platform
initramfs
iasl -p "$work/ssdt" test/vm/acpi/ssdt.asl >"$work/iasl.log" 2>&1 || { cat "$work/iasl.log" >&2; exit 1; }

modules='cpufreq_userspace,platform tsc=reliable clocksource=tsc nokaslr norandmaps'
loops='^Test(Budget|Phases|SystemEnergy|Me|NoMe)'
loop() { boot loop "$modules" "$1" "" "${icount[@]}"; }
faults() { boot faults "$modules" "$1" "$2" "${icount[@]}"; }
cpus() {
	# On a busy host the kernel cannot calibrate the TSC and the timer's interrupts.
	boot cpus 'cpufreq_userspace,acpi-cpufreq clocksource=hpet no_timer_check' "$1" "" -accel "tcg,thread=single" -smp 2 -acpitable "file=$work/ssdt.aml"
}

case ${RUN:-} in
*ACPI* | *CPUs*) cpus "$RUN" ;;
?*) loop "$RUN" ;;
*)
	machines=()
	loop "^TestStatic$|$loops" & machines+=($!)
	faults . "$loops|ACPI|CPUs|Hidden|Sensitivity|LongVisits|Rank" & machines+=($!)
	boot hidden "$modules" '^Test(Hidden|Sensitivity)' "" "${icount[@]}" & machines+=($!)
	cpus 'ACPI|CPUs' & machines+=($!)
	failed=0
	for m in "${machines[@]}"; do
		wait "$m" || failed=1
	done
	[ "$failed" -ne 0 ] || reproducible loop faults || failed=1
	exit "$failed"
	;;
esac
