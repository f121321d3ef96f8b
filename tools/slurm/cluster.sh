# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A Slurm on one machine: sourced by two-jobs.sh and array.sh, as root on Debian, from ebb's checkout.
# All daemons listen on the loopback interface of a network of their own, and end with the script.

# slurm_root DIRECTORY: a Debian 12 with Slurm and ebb's plugin, made the first time.
slurm_root() {
	root=$1
	if [ ! -L "$root/usr/sbin/slurmd" ]; then
		nice -n 19 mmdebstrap --variant=minbase --include=slurmctld,slurmd,slurmdbd,slurm-client,slurm-wlm-mysql-plugin \
			--include=mariadb-server,munge,libslurm-dev,gcc,libc6-dev,make bookworm "$root" http://deb.debian.org/debian
	fi
	mkdir -p "$root"/{opt/src,opt/ebb,run,etc/slurm,shared}
	cp tools/slurm/{*.c,*.h,Makefile} "$root/opt/src"
	chroot "$root" make -s -C /opt/src OUT=/opt/ebb
}

# slurm_configure NODES [LINE...]: so many nodes, n0 and so on; lines of slurm.conf behind them.
slurm_configure() {
	local nodes=$1 plugin=cgroup/v2
	shift
	version=v2
	if [ -d /sys/fs/cgroup/freezer ]; then version=freezer plugin=cgroup/v1; fi
	cat >"$root/etc/slurm/slurm.conf" <<C
ClusterName=t
SlurmctldHost=localhost(127.0.0.1)
SlurmctldAddr=127.0.0.1
SlurmUser=slurm
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd.%n
SlurmdPidFile=/run/slurm/%n.pid
SlurmctldLogFile=/var/log/slurm/ctld.log
SlurmdLogFile=/var/log/slurm/%n.log
ProctrackType=proctrack/cgroup
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStorageTRES=energy
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1,energy=1
AcctGatherEnergyType=acct_gather_energy/ebb
PluginDir=/usr/lib/$(uname -m)-linux-gnu/slurm-wlm:/opt/ebb
SlurmdParameters=config_overrides
MpiDefault=none
NodeName=n[0-$((nodes - 1))] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[17001-$((17000 + nodes))] CPUs=4 RealMemory=500
PartitionName=p Nodes=ALL Default=YES State=UP OverSubscribe=YES
C
	[ $# -eq 0 ] || printf '%s\n' "$@" >>"$root/etc/slurm/slurm.conf"
	printf 'CgroupMountpoint=/sys/fs/cgroup\nCgroupAutomount=no\nCgroupPlugin=%s\n' $plugin >"$root/etc/slurm/cgroup.conf"
	cat >"$root/etc/slurm/slurmdbd.conf" <<C
DbdHost=localhost
DbdAddr=127.0.0.1
SlurmUser=slurm
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StorageUser=slurm
StoragePass=x
LogFile=/var/log/slurm/dbd.log
C
	cat >"$root/begin.sh" <<'C'
# Starts Slurm without its nodes.
set -u
export LC_ALL=C
cd /tmp
mkdir -p /var/spool/slurmctld /var/spool/slurmd.n{0,1} /var/log/slurm /run/munge /run/mysqld /run/slurm
chown munge /run/munge /var/log/munge; chown mysql /run/mysqld; chown slurm /var/spool/slurmctld /var/log/slurm
chown slurm /etc/slurm/slurmdbd.conf; chmod 600 /etc/slurm/slurmdbd.conf
echo "127.0.0.1 localhost" >/etc/hosts
wait_for() { for _ in $(seq 240); do "$@" >/dev/null 2>&1 && return; sleep 0.5; done; echo "$* does not work" >&2; exit 1; }
setpriv --reuid munge --regid munge --clear-groups munged
[ -d /var/lib/mysql/mysql ] || mariadb-install-db --user=mysql >/dev/null 2>&1
mariadbd --user=mysql --bind-address=127.0.0.1 --innodb-buffer-pool-size=32M >/var/log/slurm/maria.log 2>&1 &
wait_for mariadb-admin ping
for host in localhost 127.0.0.1; do
	mariadb -e "create user if not exists slurm@'$host' identified by 'x'; grant all on slurm_acct_db.* to slurm@'$host'"
done
slurmdbd && wait_for sacctmgr -n show cluster
sacctmgr -i add cluster t >/dev/null 2>&1
slurmctld -c
idle() { [ "$(sinfo -h -N -t idle -o %N | sort -u | wc -l)" -eq "$1" ]; } # so many nodes wait for work
C
}

# slurm_run SCRIPT: runs it in the root. Whatever is started within ends with it: processes, mounts and network are the
# namespaces' own. The C library finds no address on a machine that has those of the loopback interface alone
# (AI_ADDRCONFIG), so that interface has one more.
slurm_run() {
	unshare --mount --pid --net --fork --kill-child sh -c 'ip link set lo up && ip addr add 192.0.2.1/32 dev lo && mount --make-rprivate / && mount --rbind /sys "$0/sys" &&
		mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" bash "$1"' "$root" "$1"
}
