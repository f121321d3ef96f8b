package machine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// prologue runs Slurm's Prolog for a job with a comment, and then ends what is left in its group of
// processes, as Slurm does. A program in systemd-run's place writes down how it was called; what
// that starts runs after all this, by itself, with a program in ebb's place that does the same.
// Ebb says no so many times first.
func prologue(t *testing.T, comment string, refusals int) (asked, called string) {
	t.Helper()
	dir := t.TempDir()
	unit, calls := filepath.Join(dir, "unit"), filepath.Join(dir, "calls")
	group := filepath.Join(dir, "system.slice", "slurmstepd.scope", "job_7")
	if err := os.MkdirAll(group, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"ebb": `printf 'ebb %s\n' "$*" >>` + calls + `
			test "$(wc -l <` + calls + fmt.Sprintf(`)" -gt %d`, refusals),
		"sleep":       "",
		"systemd-run": `printf '%s\0' "$@" >>` + unit,
	} {
		err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755)
		if err != nil {
			t.Fatal(err)
		}
	}
	prolog, err := filepath.Abs("../../../tools/slurm/prolog.sh")
	if err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + dir + ":" + os.Getenv("PATH")
	cmd := exec.Command(prolog, "--hierarchy="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = []string{path, "SLURM_JOB_ID=7", "SLURM_JOB_UID=1001", "SLURM_JOB_GID=1002",
		"SLURM_JOB_COMMENT=" + comment}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%q: %v, %s", comment, err, out)
	}
	if syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) == nil { // or the group is empty
		time.Sleep(10 * time.Millisecond)
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		t.Errorf("%q: something is left in its group of processes", comment)
	}
	text, _ := os.ReadFile(unit)
	options, argv := []string{"systemd-run"}, []string(nil)
	var env []string
	for _, arg := range strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00") {
		set, sets := strings.CutPrefix(arg, "--setenv=")
		switch {
		case len(argv) > 0 || arg != "" && arg[0] != '-':
			argv = append(argv, arg)
		case sets:
			env = append(env, set)
		default:
			options = append(options, arg)
		}
	}
	if len(argv) == 0 {
		return "", ""
	}
	cmd = exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = env, "/"
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%q: %q: %v, %s", comment, argv, err, out)
	}
	text, _ = os.ReadFile(calls)
	return strings.Join(options, " "), strings.ReplaceAll(string(text), dir, "")
}

// TestSlurmProlog: a job's comment of one form alone has the service asked, once and by root, for a
// lease of the job's cgroup for the job's user.
func TestSlurmProlog(t *testing.T) {
	const asks = "systemd-run --quiet --collect --no-block"
	const joins = "ebb join --for 1001 --slowdown 2.5% --cgroup " +
		"/system.slice/slurmstepd.scope/job_7\n"
	if asked, called := prologue(t, "ebb-slowdown=2.5%", 0); asked != asks || called != joins {
		t.Errorf("it called %s\n%s", asked, called)
	}
	// It asks again, and not for ever.
	for refusals, times := range map[int]int{1: 2, 1000: 6} {
		if _, called := prologue(t, "ebb-slowdown=2.5%", refusals); called !=
			strings.Repeat(joins, times) {
			t.Errorf("refused %d times, it called\n%s", refusals, called)
		}
	}
	for _, comment := range []string{"", "ebb-slowdown=", "ebb-slowdown=%", "ebb-slowdown=5",
		"ebb-slowdown=5%%", "ebb-slowdown=-5%", "ebb-slowdown=.5%", "ebb-slowdown=5.%",
		"ebb-slowdown=1.2.3%", "ebb-slowdown=5e1%", "ebb-slowdown=*%", "ebb-slowdown=5% --or-run",
		"ebb-slowdown=5%\n", "\nebb-slowdown=5%", "ebb-slowdown=5\n6%", " ebb-slowdown=5%",
		"x ebb-slowdown=5%", "EBB-SLOWDOWN=5%", "ebb-slowdown=$(id)%", "ebb-slowdown=`id`%",
		"ebb-slowdown=5;id%", "ebb-slowdown=٥%", "ebb-slowdown=" + strings.Repeat("5", 51) + "%",
		"ebb-slowdown=" + strings.Repeat("5", 100_000) + "%", "-n", "--wait"} {
		if asked, called := prologue(t, comment, 0); asked+called != "" {
			t.Errorf("%.80q: it called %s\n%s", comment, asked, called)
		}
	}
}
