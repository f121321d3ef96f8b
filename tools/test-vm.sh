#!/bin/bash
# Boots virtual machines whose first process is the tests of test/vm, with the kernel of Debian's
# backports and with Debian 12's own, and reports the results. It installs nothing and changes nothing on this machine: it
# unpacks kernel and headers below build/vm, where they stay for the next time. If something is
# missing, such as the network, it says so and skips. RUN=PATTERN runs the tests whose names match,
# SEED=N seeds the random ones, KILLS=N kills ebb, and pairs of its processes, N times each, HIDDEN=N judges N machines of hidden physics, TRAINED=N trains power models on N,
# WHOLE=quick or default, with RUN=TestQualifyWhole, runs a whole ebb qualify.
# It measures the host first, as a share of one idle CPU of the machine that the reference was taken
# on, and runs no more machines at a time than there are CPUs. Status 1: a test failed, or a machine
# hangs. Status 3: nothing failed, and a machine was not finished after MINUTES (55).
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
	command -v "$tool" >/dev/null || skip "no $tool (tools/packages.txt has what it needs)"
done
[ "$(uname -m)" = x86_64 ] || skip "the virtual machines are x86-64"

. tools/kernels.sh

initramfs() {
	local root=$work/root
	rm -rf "$root"
	mkdir -p "$root/bin"
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$root/bin/ebb" ./cmd/ebb
	CGO_ENABLED=0 go test -c -o "$root/init" ./test/vm
	CGO_ENABLED=0 go test -c -o "$root/bin/attacker" ./test/hostile
	CGO_ENABLED=0 go test -c -o "$root/bin/tracer" ./epochs/bpf
	for program in waits pingpong spin bursts; do
		gcc -O2 -static -pthread -o "$root/bin/$program" "test/workloads/c/$program.c"
	done
	gcc -O1 -static -pthread -o "$root/bin/load" test/vm/load/load.c -lm
	gcc -O1 -static -o "$root/bin/probed" test/vm/load/probed.c
	gcc -O1 -static -o "$root/bin/vhost" test/vm/load/vhost.c
	make -s -C internal/calls/runtime OUT="$work/functions"
	for program in functions sort; do
		gcc -O1 -static -pthread -finstrument-functions -Wl,--build-id -o "$root/bin/$program" "test/vm/functions/$program.c" "$work/functions/libebb-functions.a"
	done
	archive "$root" "$work/root.cpio"
}

# jvm: a small Java virtual machine with its libraries, and the program of test/vm/java. It stays for the next time.
jvm() {
	local root=$work/java library
	[ ! "$work/java.cpio" -nt test/vm/java/Alternating.java ] || return 0
	for tool in javac jlink; do
		command -v "$tool" >/dev/null || skip "no $tool"
	done
	rm -rf "$root"
	mkdir -p "$root"
	jlink --add-modules java.base --strip-debug --no-header-files --no-man-pages --output "$root/java"
	"$root/java/bin/java" -Xshare:dump >"$work/jvm.log" 2>&1 # so that it starts sooner
	javac -d "$root/java" test/vm/java/Alternating.java
	ldd "$root/java/bin/java" "$root"/java/lib/*.so "$root/java/lib/server/libjvm.so" | grep -oE '/[^ ]+\.so[^ ]*' | grep -v "^$root" | sort -u |
		while read -r library; do
			mkdir -p "$root${library%/*}"
			cp -L "$library" "$root$library"
		done
	archive "$root" "$work/java.cpio"
}

# drivers KERNEL: the initial file system with the drivers for a kernel.
drivers() {
	local lib=$work/drivers/lib module path
	rm -rf "$work/drivers"
	mkdir -p "$lib"
	strip --strip-debug -o "$lib/platform.ko" "$work/platform-$1/platform.ko"
	for module in cpufreq_userspace acpi-cpufreq vhost_iotlb vhost vsock vmw_vsock_virtio_transport_common vhost_vsock; do
		path=$(find "$work/$1/lib/modules" -name "$module.ko" -o -name "$module.ko.xz")
		case $path in
		*.xz) xz -dc "$path" >"$lib/$module.ko" ;;
		?*) cp "$path" "$lib" ;;
		esac
	done
	archive "$work/drivers" "$work/drivers.cpio"
	cat "$work/root.cpio" "$work/drivers.cpio" >"$work/$1.cpio"
	[[ ${RUN:-} != *Java* ]] || cat "$work/java.cpio" >>"$work/$1.cpio"
}

# goes LOG: how many tests of a machine have begun or ended by now.
goes() { grep -acE '^ *(=== RUN|--- )' "$1" || true; }

# unrun NAME TESTS SKIPPED: that a machine is not finished, and which of its tests have no result.
unrun() {
	local log=$work/$1.log test
	{
		echo "test-vm: $1: not finished, host at $share %. Not run:"
		"$work/root/init" -test.list "$2" | grep '^Test' | { [ -z "$3" ] && cat || grep -vE "$3"; } |
			while read -r test; do
				grep -qE "^--- (PASS|SKIP): $test " "$log" || echo "  $test"
			done || true
	} >&2
}

# boot NAME MODULES TESTS SKIPPED [QEMU FLAGS], with the kernel that $booted names. A machine is ended
# where it hangs: where for a time that only a hang takes no test begins or ends ($patience). It has
# status 1 then. Where the whole tier's time is over ($deadline) and its tests still go forward it has
# status 3: not finished. The processor is Skylake-SP to ebb's table of events. Without cx16: QEMU 7.2
# now and then gives wrong flags after cmpxchg16b. The console is a file: a pipe whose reader waits for
# a CPU would hold up the machine.
boot() {
	local log=$work/$1.log qemu tests=0 moved=$SECONDS ended=''
	: >"$log"
	if [ "$SECONDS" -gt "$deadline" ]; then
		unrun "$1" "$3" "$4"
		return 3
	fi
	qemu-system-x86_64 -M q35 -cpu max,vendor=GenuineIntel,family=6,model=85,stepping=4,-cx16${cache:-} -m "${memory:-512}" \
		-nodefaults -display none -no-reboot -serial "file:$log" -kernel "$work/$booted/boot/vmlinuz-$(cat "$work/$booted/ready")" -initrd "$work/$booted.cpio" \
		-append "console=ttyS0 quiet panic=-1 mitigations=off modules=$2 kills=${KILLS:-8} -- -seed=${SEED:-1} -hidden=${HIDDEN:-4} -trained=${TRAINED:-1} -whole=${WHOLE:-} -machine=${MACHINE:-0s} -test.v -test.run=$3${4:+ -test.skip=$4}" "${@:5}" \
		</dev/null >"$log.qemu" 2>&1 &
	qemu=$!
	trap 'kill -9 $qemu 2>/dev/null' EXIT # of this machine's subshell
	while kill -0 "$qemu" 2>/dev/null; do
		sleep 1
		if [ "$(goes "$log")" -ne "$tests" ]; then
			tests=$(goes "$log") moved=$SECONDS
		elif [ $((SECONDS - moved)) -gt "$patience" ]; then
			ended="hangs: for $patience s no test began or ended" && break
		fi
		if [ "$SECONDS" -gt "$deadline" ]; then
			ended="not finished" && break
		fi
	done
	kill -9 "$qemu" 2>/dev/null || true
	wait "$qemu" 2>/dev/null || true
	trap - EXIT
	sed -i 's/\r//g' "$log"
	if grep -q "^guest: exit 0$" "$log"; then
		grep -E '^ *--- |^ +.*_test.go.*: (governed|killed|at |without|hidden)' "$log"
		echo "ok  	test/vm, $1"
		return 0
	fi
	if [ "$ended" = "not finished" ] && ! grep -qE '^ *--- FAIL' "$log"; then
		unrun "$1" "$3" "$4"
		return 3
	fi
	cat "$log.qemu" "$log" >&2
	echo "test-vm: $1: failed${ended:+ (}$ended${ended:+)}" >&2
	return 1
}

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

booted=kernel kernels=(kernel old)
kernel kernel bookworm-backports || skip "$missing"
kernel old bookworm || kernels=(kernel)
initramfs
[[ ${RUN:-} != *Java* ]] || jvm
for k in "${kernels[@]}"; do
	platform "$k"
	drivers "$k"
done
iasl -p "$work/ssdt" test/vm/acpi/ssdt.asl >"$work/iasl.log" 2>&1 || { cat "$work/iasl.log" >&2; exit 1; }

modules='cpufreq_userspace,platform tsc=reliable clocksource=tsc nokaslr norandmaps'
loops='^Test(Budget|Phases|SystemEnergy|Me|NoMe)'
drivers='^Test(Drivers|Qualify$|Bench|Methods|Memory|Meter|Cores|Cycles|Throttled|Training)'
loop() { boot loop "$modules" "$1" QualifyCoupled "${icount[@]}"; }
faults() { boot faults "$modules" "$1" "$2" "${icount[@]}"; }
cpus() {
	# On a busy host the kernel cannot calibrate the TSC and the timer's interrupts.
	boot cpus 'cpufreq_userspace,acpi-cpufreq clocksource=hpet no_timer_check' "$1" "" -accel "tcg,thread=single" -smp 2 -acpitable "file=$work/ssdt.aml"
}

# Debian 12's own kernel.
old() {
	[ ${#kernels[@]} -gt 1 ] || { echo "test-vm: old: skipped: $missing" >&2; return 0; }
	booted=old boot old "$modules" "$1" "" "${icount[@]}"
}

# bare NAME KERNEL FLAGS TESTS: a machine of a kernel that the platform's module is not for.
bare() {
	[ "$2" = kernel ] || ln -f "$work/root.cpio" "$work/$2.cpio"
	memory=1024 booted=$2 boot "$1" " tsc=reliable clocksource=tsc nokaslr norandmaps $3" "$4" "" "${icount[@]}"
}
locked() { bare locked kernel lsm=lockdown,capability\ lockdown=confidentiality "$1"; }
realtime() {
	kernel rt trixie rt || skip "$missing"
	bare realtime rt "" "$1"
}
ancient() {
	kernel bullseye bullseye cloud || skip "$missing"
	bare ancient bullseye "" "$1"
}

# The longest test takes so many s on an idle CPU of the reference's kind, the random ones by their
# number. One that goes forward is done within ten times that on a host as fast, and within thirty on
# one whose speed was not measured.
longest=$((100 + ${KILLS:-8} + 30 * ${HIDDEN:-4} + 60 * ${TRAINED:-1} ${WHOLE:++ 3600}))
share=100 patience=$((30 * longest)) deadline=$((SECONDS + 60 * ${MINUTES:-6000}))

# measure: the host's speed. A machine that boots and does TestStatic, always the same instructions,
# takes so many ms on an idle CPU of the reference's kind.
measure() {
	local reference=26800 begun took
	begun=$(date +%s%N)
	boot host "$modules" '^TestStatic$' "" "${icount[@]}" >/dev/null || [ $? -eq 3 ]
	took=$((($(date +%s%N) - begun) / 1000000))
	share=$((reference * 100 / took))
	patience=$((10 * longest * 100 / share))
	echo "test-vm: the host is at $share % of the reference ($took ms for $reference ms)" >&2
}

case ${RUN:-} in
# Without a large cache the chase of ebb qualify is of 16 MiB, which costs QEMU less.
*Whole*) cache=,l3-cache=off boot whole "$modules" "$RUN" "" "${icount[@]}" ;;
*Java*) memory=1024 boot java "$modules" "$RUN" "" "${icount[@]}" ;;
*Old*) old "$RUN" ;;
*Preempted*) boot preempted "$modules preempt=full" "$RUN" "" "${icount[@]}" ;;
*Locked*) locked "$RUN" ;;
*RealTime*) realtime "$RUN" ;;
*Ancient*) ancient "$RUN" ;;
*ACPI* | *CPUs* | *Coupled*) cpus "$RUN" ;;
?*) loop "$RUN" ;;
*)
	deadline=$((SECONDS + 60 * ${MINUTES:-55}))
	measure
	# The longest first, so that none is left alone at the end.
	queue=(all_faults all_loops all_hidden all_drivers all_cpus all_old)
	all_loops() { loop "^TestStatic$|$loops"; }
	all_faults() { faults . "$loops|$drivers|ACPI|CPUs|Hidden|Sensitivity|LongVisits|AllVisits|Rank|Java|Old|Preempted|Locked|RealTime|Ancient|Tutorial|Qualify[A-Z]"; }
	all_drivers() { boot drivers "$modules" "$drivers" "" "${icount[@]}"; }
	all_hidden() { boot hidden "$modules" '^Test(Hidden|Sensitivity)' "" "${icount[@]}"; }
	all_cpus() { cpus 'ACPI|CPUs'; }
	all_old() { old '^Test(Old|Tutorial)'; }
	status=0
	for machine in "${queue[@]}"; do
		while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
			wait -n || true
		done
		("$machine" && ended=0 || ended=$?; echo "$ended" >"$work/$machine.status") &
	done
	wait
	for machine in "${queue[@]}"; do
		ended=$(cat "$work/$machine.status")
		[ "$ended" -eq 0 ] || [ "$status" -eq 1 ] || status=$ended
	done
	[ "$status" -ne 0 ] || reproducible loop faults || status=1
	[ "$status" -ne 3 ] || echo "test-vm: nothing failed, and not everything was run (status 3)" >&2
	exit "$status"
	;;
esac
