#!/bin/bash
# Installs, upgrades, removes and purges the Debian package in a Debian root, while ebb serves there,
# and checks what is left each time. As root; test-deb.sh [ROOT]: a minimal root that debootstrap makes
# the first time (build/debian, some minutes). Nothing there reaches this machine: mounts and processes
# are in namespaces of their own, and /run is a file system of its own. systemd does not run in it; a
# stand-in notes what it would be asked.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" != --inside ]; then
	root=$(realpath -m "${1:-build/debian}")
	[ -e "$root/var/lib/dpkg/status" ] ||
		debootstrap --variant=minbase "${SUITE:-trixie}" "$root" # from its default mirror
	tools/deb-pair.sh "$root/packages"
	cp tools/test-deb.sh "$root/packages"
	status=0
	# shellcheck disable=SC2016
	unshare --mount --pid --fork sh -ec 'mount --make-rprivate / && mount -t proc proc "$1/proc" &&
		mount --rbind /sys "$1/sys" && mount -t tmpfs tmpfs "$1/run" && mount --bind /dev "$1/dev" &&
		exec chroot "$1" bash /packages/test-deb.sh --inside' sh "$root" || status=$?
	rm -rf "$root/packages"
	exit "$status"
fi

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
failed=0
check() { # check WHAT COMMAND...: it succeeds
	local what=$1
	shift
	if "$@"; then echo "ok      $what"; else
		echo "FAILED  $what"
		failed=1
	fi
}
not() { ! "$@"; }
gone() { not pgrep_ebb; }
pgrep_ebb() {
	local exe
	for exe in /proc/[0-9]*/exe; do
		readlink "$exe" 2>/dev/null | grep -q '^/usr/bin/ebb' && return 0
	done
	return 1
}
serve() { # in the background, until it is the machine's service
	ebb serve --sysfs /sys >/dev/null 2>/packages/said &
	for _ in $(seq 600); do
		grep -q tenant /packages/said && break
		sleep 0.1
	done
}
left() { find / -xdev \( -path /packages -o -path /proc \) -prune -o -iname '*ebb*' -print | grep -v /usr/share/doc-base | grep -vi 'webb\|debb\|ebbr'; }

dpkg --purge ebb >/dev/null 2>&1 || true
check "nothing of ebb's before" not left
dpkg -i /packages/old.deb >/packages/log 2>&1
check "installed without a word" not grep -q '^ebb:' /packages/log
check "ebb version" sh -c 'ebb version | grep -q "^ebb $(dpkg-query -Wf "\${Version}" ebb)[+ ]"'
check "ebb doctor looks at the machine" sh -c 'ebb doctor | grep -q "^frequency"'
printf '[tenant.web]\nunit = "nginx.service"\n' >/etc/ebb/tenants.d/web.toml
serve
check "it serves" grep -q 'governs 1 tenant' /packages/said
check "a second one is refused" sh -c 'ebb serve 2>&1 | grep -q "another ebb serve is running (pid "'
sed -i 's/^slowdown = .*/slowdown = "7%"/' /etc/ebb/ebb.toml
dpkg -i --force-confdef --force-confold /packages/new.deb >/packages/log 2>&1
check "an upgrade names the one that runs" grep -q '^ebb: the ebb serve that runs (process [0-9]*)' /packages/log
check "it runs on" pgrep_ebb
check "the administrator's settings are kept" grep -q '7%' /etc/ebb/ebb.toml
dpkg --remove ebb >/packages/log 2>&1
check "a removal ends it" gone
check "and leaves nothing in /run" not test -e /run/ebb
check "and what it said was no mistake" sh -c '! grep -i "warning\|panic" /packages/said'
check "the configuration stays" test -f /etc/ebb/tenants.d/web.toml

# With a service manager, as far as it is asked.
mkdir -p /run/systemd/system /usr/local/bin /etc/systemd/system/multi-user.target.wants
cat >/usr/local/bin/systemctl <<'X'
#!/bin/sh
echo "systemctl $*" >>/packages/asked
case $1 in list-units)
	for unit in ebb.service ebb@app.service ebb-unit@nginx.service ebb-restore.path; do
		for pattern in "$@"; do
			case $unit in $pattern) echo "$unit loaded active running" ;; esac
		done
	done ;;
esac
X
printf '#!/bin/sh\necho "invoke $*" >>/packages/asked\n' >/usr/local/bin/deb-systemd-invoke
chmod 755 /usr/local/bin/systemctl /usr/local/bin/deb-systemd-invoke
dpkg --purge ebb >/dev/null 2>&1
: >/packages/asked
dpkg -i /packages/old.deb >/dev/null 2>&1
check "an installation starts nothing" not grep -q invoke /packages/asked
: >/packages/asked
dpkg -i --force-confdef --force-confold /packages/new.deb >/dev/null 2>&1
check "an upgrade has those begin anew that run" sh -c \
	'[ "$(grep invoke /packages/asked | tr "\n" " ")" = "invoke try-restart ebb.service invoke try-restart ebb-unit@nginx.service invoke try-restart ebb-restore.path " ]'
check "after systemd has read the new units" sh -c 'head -n 1 /packages/asked | grep -q daemon-reload'
ln -s /usr/lib/systemd/system/ebb.service /etc/systemd/system/multi-user.target.wants/ebb.service
ln -s /dev/null /etc/systemd/system/ebb-restore.path
: >/packages/asked
dpkg --remove ebb >/dev/null 2>&1
check "a removal stops all" test "$(grep -c 'invoke stop' /packages/asked)" = 4
check "none is enabled then" not test -L /etc/systemd/system/multi-user.target.wants/ebb.service
check "what is masked stays so" test -L /etc/systemd/system/ebb-restore.path
dpkg --purge ebb >/dev/null 2>&1
rm -rf /usr/local/bin/systemctl /usr/local/bin/deb-systemd-invoke /run/systemd
check "a purge leaves nothing" not left
exit "$failed"
