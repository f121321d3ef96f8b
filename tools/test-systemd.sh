#!/bin/bash
# Boots a virtual machine whose first process is Debian's systemd, installs ebb's package there and has
# the service do what docs/service.md says: start, tenants, a reload with a mistake, stop, kill -9, a hang,
# an upgrade beside running tenants, a purge. As root; the root file system is made the first time by
# mmdebstrap (build/systemd, 1.5 min), the kernel is the one that Debian installs on real machines (test-vm's
# cannot be suspended), its frequencies are the platform's. Time in the machine follows its instructions, so
# a busy host makes it slow and changes nothing else. Status 3: nothing failed, and it was not finished after
# MINUTES (60).
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" != --inside ]; then
	work=$PWD/build/vm own=$PWD/build/systemd
	mkdir -p "$work" "$own"
	exec 9>"$own/lock"
	flock 9
	for tool in qemu-system-x86_64 mmdebstrap cpio xz gcc-12; do
		command -v "$tool" >/dev/null || { echo "test-systemd: no $tool" >&2 && exit 1; }
	done
	. tools/kernels.sh
	kernel generic bookworm-backports generic || { echo "test-systemd: $missing" >&2 && exit 1; }
	platform generic
	if [ ! -e "$own/root.tar" ]; then
		mmdebstrap --quiet --variant=essential --include=systemd-sysv,kmod --dpkgopt='path-exclude=/usr/share/doc/*' \
			--dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/man/*' \
			"${SUITE:-trixie}" "$own/root.new.tar"
		mv "$own/root.new.tar" "$own/root.tar"
	fi
	root=$own/root
	rm -rf "$root"
	mkdir "$root"
	tar -C "$root" -xpf "$own/root.tar"
	tools/deb-pair.sh "$root/packages"
	# Prometheus is this machine's: its package would bring much more.
	for tool in prometheus promtool; do
		! tool=$(command -v "$tool") || cp -L "$tool" "$root/packages"
	done
	sed -n 's/^ *"expr": "\(.*\)",\{0,1\}$/\1/p' tools/dist/grafana/ebb.json | sed 's/\\"/"/g; s/\$instance/.*/g' >"$root/packages/queries"
	cp tools/test-systemd.sh "$root/packages"
	strip --strip-debug -o "$root/packages/platform.ko" "$work/platform-generic/platform.ko"
	xz -dc "$work"/generic/lib/modules/*/kernel/drivers/cpufreq/cpufreq_userspace.ko.xz >"$root/packages/cpufreq_userspace.ko"
	ln -sf /usr/lib/systemd/systemd "$root/init"
	for unit in getty@.service serial-getty@.service getty-static.service; do
		ln -sf /dev/null "$root/etc/systemd/system/$unit"
	done
	mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
	cat >"$root/etc/systemd/system/tested.service" <<-'X'
		[Service]
		ExecStart=/bin/bash /packages/test-systemd.sh --inside
		TimeoutStartSec=infinity
	X
	ln -sf ../tested.service "$root/etc/systemd/system/multi-user.target.wants"
	archive "$root" "$own/root.cpio"
	rm -rf "$root"
	log=$own/console.log
	status=0
	timeout "${MINUTES:-60}m" qemu-system-x86_64 -M q35 -cpu max,vendor=GenuineIntel,family=6,model=85,stepping=4,-cx16 \
		-m 2560 -nodefaults -display none -no-reboot -serial "file:$log" "${icount[@]}" \
		-kernel "$work/generic/boot/vmlinuz-$(cat "$work/generic/ready")" -initrd "$own/root.cpio" \
		-append "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable clocksource=tsc nokaslr norandmaps systemd.show_status=0" \
		</dev/null >"$log.qemu" 2>&1 || status=$?
	sed -i 's/\r//g; s/^\x1b.*\x1b\[?7h//' "$log" # systemd resets the terminal before the first line
	grep -aE '^(ok|FAILED) ' "$log" || true
	grep -aq '^guest: exit 0$' "$log" && exit 0
	! { [ "$status" -eq 124 ] && ! grep -aq '^FAILED ' "$log"; } || {
		echo "test-systemd: not finished" >&2
		exit 3
	}
	tail -n 60 "$log" >&2
	exit 1
fi

exec >/dev/console 2>&1
trap 'echo "FAILED  line $LINENO"; echo "guest: exit 1"; systemctl poweroff -ff' ERR
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 SYSTEMD_PAGER= SYSTEMD_COLORS=0
failed=0
check() { # check WHAT COMMAND...: it succeeds
	local what=$1
	shift
	if "$@"; then echo "ok      $what"; else
		echo "FAILED  $what"
		journalctl -u ebb -n 12 --no-pager -o cat
		failed=1
	fi
}
not() { ! "$@"; }
# soon COMMAND...: it succeeds within two minutes of the machine's time.
soon() {
	local i
	for i in $(seq 240); do
		! "$@" || return 0
		sleep 0.5
	done
	return 1
}
governor=/sys/devices/system/cpu/cpufreq/policy0/scaling_governor
clocked() { [ "$(cat "$governor")" = userspace ]; }
of() { systemctl show -P "$2" "$1"; }
governs() { ebb status 2>/dev/null | grep -q "governs $1 tenant"; }
said() { journalctl -u ebb -o cat --no-pager | grep -q "$1"; }
another() { [ "$(of ebb MainPID)" -gt 0 ] && [ "$(of ebb MainPID)" != "$1" ] && [ "$(of ebb ActiveState)" = active ]; }
decided() { # the number of decisions
	local x
	x=$(ebb status --json)
	x=${x#*\"decided\":}
	echo $((${x%%[,\}]*}))
}
decides() { [ "$(decided)" -gt "$1" ]; }
# suspended LEVEL STATE: the kernel tries a suspend up to a level, and comes back by itself after 5 s.
suspended() { echo "$1" >/sys/power/pm_test && echo "$2" >/sys/power/state; }
none_failed() {
	local units
	units=$(systemctl --failed --plain --no-legend | cut -d' ' -f1)
	# shellcheck disable=SC2086
	[ -z "$units" ] || { systemctl status --no-pager $units; false; }
}
left() { find / -xdev \( -path /packages -o -path /proc \) -prune -o -iname '*ebb*' -print | grep -vi 'webb\|debb\|ebbr'; }

mkdir -p /sys/fs/bpf
insmod /packages/cpufreq_userspace.ko && insmod /packages/platform.ko
before=$(cat "$governor")
check "systemd is the first process, with $before" test "$(cat /proc/1/comm)" = systemd

# Three tenants: by a unit of a file, by the unit's own section, and one that sleeps.
for unit in web own asleep; do
	run='while :; do i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; sleep 0.1; done'
	[ $unit != asleep ] || run='sleep infinity'
	printf '[Service]\nExecStart=/bin/sh -c "%s"\n' "${run//\$/\$\$}" >/etc/systemd/system/$unit.service
done
mkdir -p /etc/systemd/system/own.service.d
printf '[X-Ebb]\nSlowdown=5%%\n' >/etc/systemd/system/own.service.d/ebb.conf
systemctl daemon-reload
systemctl start web own asleep
check "systemd takes a unit with [X-Ebb]" not sh -c 'journalctl -b -o cat --no-pager | grep -i "x-ebb"'
web=$(of web MainPID)

dpkg -i /packages/old.deb
check "an installation starts nothing" test "$(of ebb ActiveState)" = inactive
printf '[tenant.web]\nunit = "web.service"\nslowdown = "10%%"\n[tenant.asleep]\nunit = "asleep.service"\n' >/etc/ebb/tenants.d/a.toml
# A decision costs ten times what it costs on a real processor.
printf 'OPTIONS=--config /etc/ebb/ebb.toml --quantum 50ms\n' >/etc/ebb/ebb.env
sed -i 's/^users = .*/users = "1234"/' /etc/ebb/ebb.toml
check "systemctl enable --now: READY" systemctl enable --now ebb
check "it runs" test "$(of ebb ActiveState)/$(of ebb SubState)" = active/running
check "it governs three tenants" soon governs 3
check "by the unit's own section too" sh -c "ebb status | grep -q '^own.service .* 5.0 %'"
check "the clock is set" soon clocked
check "its status is systemd's" test "$(of ebb StatusText | cut -c1-17)" = "governs 3 tenants"

printf '[tenant.web\n' >/etc/ebb/tenants.d/b.toml
check "a reload with a mistake" systemctl reload ebb
check "is said" soon said 'the tenants stay as they were: .*b.toml'
check "and changes nothing" governs 3
rm /etc/ebb/tenants.d/b.toml
printf '[X-Ebb]\nSlowdown=7\n' >/etc/systemd/system/own.service.d/ebb.conf
systemctl daemon-reload
systemctl reload ebb
check "a mistake in a unit's section is said" soon said 'unit own.service: .*Slowdown'
printf '[X-Ebb]\nSlowdown=7%%\n' >/etc/systemd/system/own.service.d/ebb.conf
systemctl daemon-reload
systemctl reload ebb
check "its next budget counts" soon sh -c "ebb status | grep -q '^own.service .* 7.0 %'"
check "nothing began anew for it" test "$(of ebb NRestarts)" = 0

check "an allowed user's lease" sh -c 'setpriv --reuid 1234 --regid 1234 --clear-groups ebb join --slowdown 5% -- echo joined | grep -q joined'
check "another user's is refused" not setpriv --reuid 1235 --regid 1235 --clear-groups ebb join --slowdown 5% -- true
writes() { setpriv --reuid "$1" --regid "$1" --clear-groups test -w /run/ebb/allowed.sock; }
check "who may take leases has the socket of the allowed" writes 1234
check "and nobody else has" not writes 1235

systemctl stop ebb
check "systemctl stop: the clocks are back" test "$(cat "$governor")" = "$before"
check "and its end was no failure" test "$(of ebb Result)" = success
check "it left nothing in /run" test "$(ls /run/ebb 2>/dev/null)" = ""
systemctl start ebb
check "started again" soon clocked

pid=$(of ebb MainPID)
kill -9 "$pid"
check "kill -9: the guardian puts the clocks back" soon not clocked
check "systemd begins it anew" soon another "$pid"
check "and it governs" soon governs 3

pid=$(of ebb MainPID)
soon clocked
kill -STOP "$pid"
check "SIGSTOP: the guardian puts the clocks back" soon not clocked
check "the watchdog ends it, and it begins anew" soon another "$pid"
check "by the watchdog" sh -c 'journalctl -u ebb -o cat --no-pager | grep -qi watchdog'
check "and governs" soon governs 3

# Metrics, as docs/service.md has them: on the loopback device, and every query of the dashboard.
if [ -x /packages/prometheus ]; then
	sed -i 's/^listen = .*/listen = "127.0.0.1:9323"/' /etc/ebb/ebb.toml
	mkdir -p /etc/systemd/system/ebb.service.d
	printf '[Service]\nPrivateNetwork=no\nIPAddressAllow=localhost\nRestrictAddressFamilies=AF_INET AF_INET6\n' >/etc/systemd/system/ebb.service.d/override.conf
	systemctl daemon-reload
	systemctl reset-failed ebb # five starts in five minutes are the most
	check "with metrics on the loopback device" systemctl restart ebb
	check "it governs" soon governs 3
	printf 'global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [/usr/share/ebb/prometheus/ebb.rules.yml]\nscrape_configs: [{job_name: ebb, static_configs: [{targets: ["127.0.0.1:9323"]}]}]\n' >/packages/p.yml
	check "promtool takes the rules" /packages/promtool check rules /usr/share/ebb/prometheus/ebb.rules.yml
	/packages/prometheus --config.file=/packages/p.yml --storage.tsdb.path=/packages/tsdb --web.listen-address=127.0.0.1:9090 >/packages/prometheus.log 2>&1 &
	prometheus=$!
	asked() { /packages/promtool query instant http://127.0.0.1:9090 "$1" 2>&1; }
	scraped() { asked 'count_over_time(ebb_tenant_reference_seconds_total{tenant="web"}[1m]) > 2' | grep -q '=>'; }
	check "Prometheus reads them" soon scraped
	some=0 all=0
	while read -r query; do
		check "the dashboard's $query" asked "$query"
		all=$((all + 1))
		! asked "$query" | grep -q '=>' || some=$((some + 1))
	done </packages/queries
	check "$some of its $all queries have a value" test "$some" -gt $((all / 2))
	check "the share of the budget" soon sh -c "/packages/promtool query instant http://127.0.0.1:9090 tenant:ebb_budget_burnt:ratio5m | grep -q web"
	kill "$prometheus"
	rm -r /etc/systemd/system/ebb.service.d
	sed -i 's/^listen = .*/listen = ""/' /etc/ebb/ebb.toml
	systemctl daemon-reload
	systemctl reset-failed ebb
	systemctl restart ebb
else
	echo "skipped metrics: no prometheus"
fi
top() { TERM=xterm timeout 60 script -qec 'stty cols 80 rows 24; timeout --foreground -s INT 6 ebb top' /packages/top </dev/null >/dev/null; }
top || true
check "ebb top has the tenants" sh -c 'grep -q burnt /packages/top && grep -q web /packages/top && grep -q own.service /packages/top'

# The wall clock of an unset machine jumps when it is set, also back.
pid=$(of ebb MainPID)
for jump in '+2 days' '-3 days'; do
	date -s "$jump" >/dev/null
	n=$(decided)
	check "it decides after a jump of the clock by $jump" soon decides "$n"
done
check "and has run for less than an hour" not sh -c "ebb status | grep -q ' [0-9]*h[0-9ms.]* so far'"
check "the same process" test "$(of ebb MainPID)" = "$pid"

# A suspend stops all processes first, then devices, then the clock. The guardian takes the first for a stall. One to
# idle until the real-time clock rings does not end in QEMU, whose firmware tells no such event to a machine that runs.
if [ -e /sys/power/pm_test ]; then
	setpriv --reuid 1234 --regid 1234 --clear-groups ebb join --slowdown 5% -- sleep infinity &
	holder=$!
	check "a lease is held" soon sh -c 'ebb status | grep -q "^lease.1234.1 "'
	for level in freezer devices core; do
		state=freeze
		if [ "$level" = core ]; then # the clock stops only where the machine would be switched off
			echo deep >/sys/power/mem_sleep 2>/dev/null || continue
			state=mem
		fi
		n=$(decided)
		check "suspended up to its $level" suspended "$level" "$state"
		check "it decides then" soon decides "$n"
		check "and sets the clock" soon clocked
		check "and has the lease" soon sh -c 'ebb status | grep -q "^lease.1234.1 "'
	done
	echo none >/sys/power/pm_test
	check "by the same process" test "$(of ebb MainPID)" = "$pid"
	kill "$holder"
else
	echo "skipped suspend: this kernel does not try it"
fi

pid=$(of ebb MainPID)
dpkg -i --force-confdef --force-confold /packages/new.deb
check "an upgrade begins it anew" soon another "$pid"
check "with the same tenants" soon governs 3
check "the next version is installed" sh -c 'dpkg-query -Wf "\${Version}" ebb | grep -q "[.]1$"'
check "the tenant ran on" test "$(of web MainPID)" = "$web"

dpkg --purge ebb
check "a purge stops it" test "$(of ebb ActiveState)" = inactive
check "the clocks are back" test "$(cat "$governor")" = "$before"
check "the tenant runs on" test "$(of web MainPID)" = "$web"
rm -r /etc/systemd/system/own.service.d
check "a purge leaves nothing" not left
check "systemd knows no unit of it" test "$(of ebb LoadState)" = not-found
check "nothing is failed" none_failed
echo "guest: exit $failed"
sync
systemctl poweroff -ff
