package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// hidden says that the status is 1, but 0 where ebb is in the first cgroup of each hierarchy: only
// there it needs not see who can write its cgroup.
const hidden = -1

// holding matches a line of /proc/self/cgroup of a hierarchy that can hold a process back, with a
// cgroup below the first (internal/linux/shelter).
var holding = regexp.MustCompile(
	`(?m)^(0:|\d+:(.*,)?(blkio|cpu|cpuset|freezer|memory|pids)(,.*)?):/.`)

// badDays is what a shell does before it executes ebb, in a mount namespace of its own, and the
// status of a run with --methods. $D is a directory, and $R the run directory.
var badDays = []struct {
	first  string
	status int
}{
	{"mount -t proc -o subset=pid proc /proc", 1},
	{"umount -lR /sys/fs/cgroup", hidden},
	{"mkfifo $R", 1},
	{"mkdir $R; mount -t tmpfs -o mode=755,nr_inodes=2 none $R", 1},
	{"trap '' HUP INT QUIT PIPE USR1 CHLD", 0},
	{"umount -l /proc", 1},
	{"mount -t tmpfs none /sys", 1},
	{"mount -t tmpfs none /dev", 1},
	{"umount -lR /sys/fs/cgroup; mount -t tmpfs none /sys/fs/cgroup", hidden},
	{"mount -o remount,ro,bind / /", 0},
	{"mount -t proc -o hidepid=2 proc /proc", 0},
	{"umount -l /sys/kernel/tracing /sys/kernel/debug 2>/dev/null", 0},
	{"ln -s /etc $R", 1},
	{"mkdir $R; chown 65534 $R", 1},
	{"mkdir $R; chmod 777 $R", 1},
	{"mkdir -m 700 $R; mkfifo $R/lock", 1},
	{"mkdir -m 700 $R; mkdir $R/snapshot.json", 1},
	{"mkdir $R; mount -t tmpfs -o mode=755,size=4k none $R", 1},
	{"mkdir $R; mount -t tmpfs -o mode=755,ro none $R", 1},
	{"ulimit -f 0", 1},
	{"ulimit -s 64", 0},
	{"ulimit -l 0; ulimit -i 0", 0},
	{"umask 777", 0},
	{"mkdir $D/gone; cd $D/gone; rmdir $D/gone", 0},
	{"exec <&- >&- 2>&-", 0},
	{"set -- setpriv --no-new-privs \"$@\"", 0},
	{"set -- setpriv --securebits +noroot \"$@\"", 1},
	{"set -- chrt -i 0 nice -n 19 \"$@\"", 0},
	{"set -- chrt -R -r 1 \"$@\"", 0},
	{"set -- unshare -n -i -u \"$@\"", 0},
	{"set -- python3 testdata/refused.py 73 38 \"$@\"", 1}, // flock: not implemented
	{"set -- python3 testdata/refused.py 73 37 \"$@\"", 1}, // flock: no locks available
	{"export GOMEMLIMIT=lots GOGC=none GODEBUG=fips140=perhaps,gctrace=1", 0},
}

// TestBadDays: whatever is wrong with the process that starts ebb, with its mounts or with the run
// directory, ebb runs its program or says in one sentence why not, and no clock stays changed.
func TestBadDays(t *testing.T) {
	for i, day := range badDays {
		if i >= devtest.Cases(len(badDays), 5) {
			break
		}
		t.Run(strings.ReplaceAll(day.first, "/", "_"), func(t *testing.T) {
			needRoot(t)
			nothingLeft(t)
			dir := t.TempDir()
			g := &guarded{t: t, tree: devtest.Tree(t, devtest.Desktop),
				runDir: filepath.Join(dir, "run")}
			g.before = g.controls()
			cmd := unshared(t, []string{"-m"}, "sh", "-c", "R=$1 D=$2; shift 2; "+day.first+
				`; exec "$@"`, "sh", g.runDir, dir, ebbPath(t), "run", "--methods", "--sysfs",
				g.tree, "--run-dir", g.runDir, "--", "sh", "-c",
				"i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
			want := day.status
			if want == hidden {
				want = 0
				text, err := os.ReadFile("/proc/self/cgroup")
				if err != nil || holding.Match(text) {
					want = 1
				}
			}
			r := finish(t, cmd)
			if r.code != want {
				t.Errorf("status %d, want %d: %s", r.code, want, r.stderr)
			}
			if strings.Contains(r.stderr, "goroutine ") {
				t.Errorf("a trace: %s", r.stderr)
			}
			g.back(time.Now(), 0)
		})
	}
}

// TestNamesGoAway: /proc, the run directory or the clocks' own directory is taken from under ebb
// while it governs. Guardian and deputy put the clocks back all the same when it is killed.
func TestNamesGoAway(t *testing.T) {
	const over = "mount -t tmpfs none "
	for i, what := range []string{"umount -l /proc", over, over} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			needRoot(t)
			nothingLeft(t)
			g := takeHoldIn(t, "true", "--", "sleep", "600")
			pid := g.cmd.Process.Pid
			what += []string{"", g.runDir, g.tree}[i]
			out, err := exec.Command("nsenter", "-t", strconv.Itoa(pid), "-m", "sh", "-c",
				what).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v: %s", what, err, out)
			}
			if g.controls()["scaling_governor"] != "userspace" {
				t.Errorf("it governs with %v", g.controls())
			}
			if err := g.cmd.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = g.cmd.Wait() // it was killed
			g.back(time.Now(), backWithin)
			_, err = os.Stat(g.runDir + "/snapshot.json")
			if i == 0 && err == nil {
				t.Error("the snapshot is left")
			}
		})
	}
}
