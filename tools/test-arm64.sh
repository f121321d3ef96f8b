#!/bin/bash
# Tries ebb for arm64 on this machine, as far as its emulators go: the tests of pure packages under
# qemu-user, and TestEmulated of test/vm in an emulated machine with Debian's kernel. It installs
# nothing: what is missing it names and leaves out. Kernel and log are below build/vm. RUN=PATTERN
# runs tests of the emulated machine alone.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/vm
mkdir -p "$work"
exec 9>"$work/lock"
flock 9 # another one may be at it
. tools/kernels.sh
architecture=arm64
export GOARCH=arm64 CGO_ENABLED=0

# Those that calculate or read bytes. The others' tests try so many cases that they take long here.
pure=(units internal/linux/sysfs epochs/table epochs/usdt internal/energy/profile internal/stacks/unwind internal/sandbox/protocol predictor/nonscaling
	predictor/waiting predictor predictor/power policy governor governor/many governor/arbiter governor/clockwatch governor/coalesce internal/energy/verdict internal/app/report internal/render/chart)

user=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
if [ -n "${RUN:-}" ]; then
	:
elif [ -n "$user" ]; then
	go test -timeout 30m -exec "$user" "${pure[@]/#/./}"
else
	echo "test-arm64: no qemu-aarch64-static (qemu-user-static): the pure packages are not tested" >&2
fi

missing=
for tool in qemu-system-aarch64 dpkg-deb apt-get cpio; do
	command -v "$tool" >/dev/null || missing+=" $tool"
done
[ -z "$missing" ] || missing="no$missing (qemu-system-arm has the emulator)"
if [ -n "$missing" ] || ! kernel arm64 bookworm-backports; then
	echo "test-arm64: no machine is emulated: $missing" >&2
	exit 0
fi
root=$work/root-arm64 log=$work/arm64.log
rm -rf "$root"
mkdir -p "$root"/{bin,etc}
go build -trimpath -buildvcs=false -o "$root/bin/ebb" ./cmd/ebb
go build -trimpath -o "$root/bin/threads" ./test/workloads/go
go test -c -o "$root/bin/jvm" ./internal/power/activity/jvm
go test -c -o "$root/init" ./test/vm
printf '%s:0:0::/:\n' root:x >"$root/etc/passwd"
archive "$root" "$work/arm64.cpio"
timeout 1800 qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -accel tcg,thread=single -smp 2 -m 1024 \
	-nodefaults -display none -no-reboot -serial stdio -kernel "$work/arm64/boot/vmlinuz-$(cat "$work/arm64/ready")" -initrd "$work/arm64.cpio" \
	-append "console=ttyAMA0 quiet panic=-1 mitigations=off -- -test.v -test.run=${RUN:-^TestEmulated}" \
	</dev/null 2>&1 | tr -d '\r' >"$log" || true
if ! grep -q "^guest: exit 0$" "$log"; then
	cat "$log" >&2
	echo "test-arm64: the emulated machine: failed" >&2
	exit 1
fi
grep -E '^ *--- ' "$log"
echo "ok  	test/vm, arm64"
