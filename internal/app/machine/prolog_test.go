package machine

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// prologue runs Slurm's Prolog for a job with a comment, with programs in ebb's and systemd-run's
// place that write down how they were called. Status is that of the lease that is asked for as the
// user.
func prologue(t *testing.T, comment string, status int) (called string) {
	t.Helper()
	dir := t.TempDir()
	calls, group := filepath.Join(dir, "calls"), filepath.Join(dir, "system.slice",
		"slurmstepd.scope", "job_7")
	if err := os.MkdirAll(group, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"ebb": `printf 'ebb %s\n' "$*" >>` + calls + `; case $* in *true) exit ` +
			string(rune('0'+status)) + `;; esac`,
		"systemd-run": `printf 'systemd-run %s\n' "$*" >>` + calls + `; shift 6; exec "$@"`,
	} {
		err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755)
		if err != nil {
			t.Fatal(err)
		}
	}
	ended, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ended.Close()
	cmd := exec.Command("../../../tools/slurm/prolog.sh", "--hierarchy="+dir)
	cmd.ExtraFiles = []*os.File{held}
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "SLURM_JOB_ID=7",
		"SLURM_JOB_UID=1001", "SLURM_JOB_GID=1002", "SLURM_JOB_COMMENT=" + comment}
	out, err := cmd.CombinedOutput()
	held.Close()
	if err != nil || len(out) > 0 {
		t.Errorf("%q: %v, %s", comment, err, out)
	}
	_, _ = io.ReadAll(ended) // what it has left behind holds the other end
	text, _ := os.ReadFile(calls)
	return strings.ReplaceAll(string(text), dir, "")
}

// TestSlurmProlog: a job's comment of one form alone makes its cgroup a tenant, and only where the
// service gives its user a lease with that budget.
func TestSlurmProlog(t *testing.T) {
	const asks = "systemd-run --quiet --wait --collect --uid=1001 --gid=1002 " +
		"--property=RuntimeMaxSec=60 ebb join --slowdown 2.5% -- true\n" +
		"ebb join --slowdown 2.5% -- true\n"
	const joins = "ebb join --slowdown 2.5% --cgroup /system.slice/slurmstepd.scope/job_7\n"
	if got := prologue(t, "ebb-slowdown=2.5%", 0); got != asks+joins {
		t.Errorf("it called\n%s", got)
	}
	if got := prologue(t, "ebb-slowdown=2.5%", 1); got != asks {
		t.Errorf("a user who may not: it called\n%s", got)
	}
	for _, comment := range []string{"", "ebb-slowdown=", "ebb-slowdown=%", "ebb-slowdown=5",
		"ebb-slowdown=5%%", "ebb-slowdown=-5%", "ebb-slowdown=.5%", "ebb-slowdown=5.%",
		"ebb-slowdown=1.2.3%", "ebb-slowdown=5e1%", "ebb-slowdown=*%", "ebb-slowdown=5% --or-run",
		"ebb-slowdown=5%\n", "\nebb-slowdown=5%", "ebb-slowdown=5\n6%", " ebb-slowdown=5%",
		"x ebb-slowdown=5%", "EBB-SLOWDOWN=5%", "ebb-slowdown=$(id)%", "ebb-slowdown=`id`%",
		"ebb-slowdown=5;id%", "ebb-slowdown=٥%", "ebb-slowdown=" + strings.Repeat("5", 51) + "%",
		"ebb-slowdown=" + strings.Repeat("5", 100_000) + "%", "-n", "--wait"} {
		if got := prologue(t, comment, 0); got != "" {
			t.Errorf("%.80q: it called\n%s", comment, got)
		}
	}
}
