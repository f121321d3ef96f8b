#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two jobs on one node of a real Slurm, each with its own joules in sacct: by hand, as root on Debian, some minutes.
#
#   tools/slurm/two-jobs.sh [DIRECTORY]     a Debian 12 with Slurm is made there, or used again (default: build/slurm)
#
# All daemons listen on the loopback interface and end with the script. The meter is a file that the script turns at
# 20 W; ebb follows the hierarchy of the freezer where cgroups are of version 1.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$(realpath -m "${1:-build/slurm}")

if [ ! -L "$root/usr/sbin/slurmd" ]; then
	debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" && chmod 755 "$root/usr/sbin/policy-rc.d"
	DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y --no-install-recommends slurmctld slurmd slurmdbd \
		slurm-client slurm-wlm-mysql-plugin mariadb-server munge libslurm-dev gcc libc6-dev make
fi
mkdir -p "$root"/{opt/src,run,etc/slurm,meter/class/powercap/intel-rapl:0}
cp tools/slurm/{*.c,*.h,Makefile} "$root/opt/src"
chroot "$root" make -s -C /opt/src OUT=/opt/ebb

version=v2 plugin=cgroup/v2
if [ -d /sys/fs/cgroup/freezer ]; then version=freezer plugin=cgroup/v1; fi
cat >"$root/etc/slurm/slurm.conf" <<C
ClusterName=t
SlurmctldHost=localhost(127.0.0.1)
SlurmctldAddr=127.0.0.1
SlurmUser=slurm
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
SlurmctldLogFile=/var/log/slurm/ctld.log
SlurmdLogFile=/var/log/slurm/d.log
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
NodeName=n0 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17001 CPUs=4 RealMemory=500
PartitionName=p Nodes=ALL Default=YES State=UP OverSubscribe=YES
C
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
cat >"$root/run.sh" <<'C'
set -u
export LC_ALL=C
cd /tmp
mkdir -p /var/spool/slurmctld /var/spool/slurmd /var/log/slurm /run/munge /run/mysqld /run/slurm
chown munge /run/munge /var/log/munge; chown mysql /run/mysqld; chown slurm /var/spool/slurmctld /var/log/slurm
chown slurm /etc/slurm/slurmdbd.conf; chmod 600 /etc/slurm/slurmdbd.conf
echo "127.0.0.1 localhost" >/etc/hosts
setpriv --reuid munge --regid munge --clear-groups munged
[ -d /var/lib/mysql/mysql ] || mariadb-install-db --user=mysql >/dev/null 2>&1
mariadbd --user=mysql --bind-address=127.0.0.1 --innodb-buffer-pool-size=32M >/var/log/slurm/maria.log 2>&1 &
wait_for() { for _ in $(seq 120); do "$@" >/dev/null 2>&1 && return; sleep 0.5; done; echo "$* does not work" >&2; exit 1; }
wait_for mariadb-admin ping
for host in localhost 127.0.0.1; do
	mariadb -e "create user if not exists slurm@'$host' identified by 'x'; grant all on slurm_acct_db.* to slurm@'$host'"
done
slurmdbd && wait_for sacctmgr -n show cluster
sacctmgr -i add cluster t >/dev/null 2>&1
slurmctld -c && slurmd -N n0
wait_for sh -c 'sinfo -h -t idle | grep -q idle'
busy() { sbatch --parsable -n1 -o /dev/null --wrap "timeout $1 sh -c 'while :; do :; done'; true"; }
jobs=$(busy 20),$(busy 8)
for _ in $(seq 90); do sleep 1; squeue -h | grep -q . || break; done
sleep 3
echo; echo "ebb's file:"; cat /run/ebb-jobs
echo; sacct -P -o JobID,State,Elapsed,TotalCPU,ConsumedEnergyRaw -j "$jobs"
C

meter=$root/meter/class/powercap/intel-rapl:0
echo package-0 >"$meter/name"; echo 262143328850 >"$meter/max_energy_range_uj"; echo 0 >"$meter/energy_uj"
(for i in $(seq 6000); do printf "%d\n" $((i * 1000000)) 1<>"$meter/energy_uj"; sleep 0.05; done) &
turns=$!
bin/ebb energy --machine --hierarchy $version --meter-root "$root/meter" --slurm-file "$root/run/ebb-jobs" &
ebb=$!
trap 'kill $ebb $turns; wait' EXIT
# Whatever is started within ends with it: processes and mounts are the namespaces' own.
unshare --mount --pid --net --fork --kill-child sh -c 'ip link set lo up && mount --make-rprivate / && mount --rbind /sys "$0/sys" &&
	mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" bash /run.sh' "$root"
