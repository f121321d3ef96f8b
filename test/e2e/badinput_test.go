package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// headline is what ebb says before it starts the target. It may stand before the sentence that says
// what was wrong.
var headline = regexp.MustCompile(`^(ebb: (shadow mode|frequency set|governs|records)[^\n]*\n)+`)

// missing is a command that cannot be found.
var missing = regexp.MustCompile(`cannot run the command "[^"]+": (no such file|executable file not)`)

// refused checks that ebb said no, and how: the exit status, one clear sentence that has certain
// words, nothing on standard output.
func refused(t *testing.T, r result, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("status %d, want %d", r.code, code)
	}
	if r.stdout != "" {
		t.Errorf("standard output: %q", r.stdout)
	}
	if !missing.MatchString(r.stderr) { // found before ebb says what it will do
		r.stderr = headline.ReplaceAllString(r.stderr, "")
	}
	named := strings.HasPrefix(r.stderr, "ebb: ") || strings.HasPrefix(r.stderr, "ebb-lab: ")
	if strings.Count(r.stderr, "\n") != 1 || !named || len(r.stderr) > 400 {
		t.Errorf("not one clear sentence: %q", r.stderr)
	}
	for _, bad := range []string{"goroutine ", "panic", ".go:", "%!", "runtime error", "strconv",
		"exec:"} {
		if strings.Contains(r.stderr, bad) {
			t.Errorf("%q in %q", bad, r.stderr)
		}
	}
	for _, w := range words {
		if !strings.Contains(r.stderr, w) {
			t.Errorf("%q does not mention %q", r.stderr, w)
		}
	}
	if t.Failed() {
		t.Logf("status %d, stderr %q", r.code, r.stderr)
	}
}

func gonePID(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(cmd.Process.Pid)
}

func TestBadUsage(t *testing.T) {
	dir := t.TempDir()
	config := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	missing := filepath.Join(dir, "missing")
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name  string
		root  bool // it takes root to get to the error
		args  []string
		words []string
	}{
		{name: "command that does not exist", root: true,
			args: []string{"run", "--", "no-such-command"}, words: []string{"no-such-command"}},
		{name: "path that does not exist", root: true,
			args: []string{"run", "--", "./no/such/file"}, words: []string{"no/such/file"}},
		{name: "directory as command", root: true, args: []string{"run", "--", "/tmp"},
			words: []string{"/tmp"}},
		{name: "file that is no program", root: true, args: []string{"run", "--", "/etc/hostname"},
			words: []string{"/etc/hostname"}},
		{name: "pid that is gone", root: true, args: []string{"run", "--pid", gonePID(t)},
			words: []string{"process"}},
		{name: "pid of a kernel thread", root: true, args: []string{"run", "--pid", "2"},
			words: []string{"kernel"}},
		{name: "negative pid", args: []string{"run", "--pid", "-7"}, words: []string{"-7"}},
		{name: "pid beyond all", root: true, args: []string{"run", "--pid", "2147483647"},
			words: []string{"2147483647"}},
		{name: "pid that ebb comes from", args: []string{"run", "--pid", fmt.Sprint(os.Getpid())},
			words: []string{"ebb itself", "another terminal"}},
		{name: "pid that is no number", args: []string{"run", "--pid", "me"},
			words: []string{"me"}},
		{name: "pid and command", args: []string{"run", "--pid", "1", "--", "true"}},
		{name: "nothing to govern", args: []string{"run"}},
		{name: "negative slowdown", args: []string{"run", "--slowdown", "-1%", "--", "true"},
			words: []string{"-1%"}},
		{name: "slowdown 200 %", args: []string{"run", "--slowdown", "200%", "--", "true"},
			words: []string{"200%"}},
		{name: "slowdown without a unit", args: []string{"run", "--slowdown", "5", "--", "true"},
			words: []string{"5", "%"}},
		{name: "slowdown that is no number",
			args: []string{"run", "--slowdown", "abc", "--", "true"}, words: []string{"abc"}},
		{name: "slowdown NaN", args: []string{"run", "--slowdown", "NaN%", "--", "true"},
			words: []string{"NaN"}},
		{name: "empty slowdown", args: []string{"run", "--slowdown", "", "--", "true"}},
		{name: "quantum 1us", args: []string{"run", "--quantum", "1us", "--", "true"}},
		{name: "quantum of a year", args: []string{"run", "--quantum", "9000h", "--", "true"}},
		{name: "hold-off -1", args: []string{"run", "--hold-off", "-1", "--", "true"}},
		{name: "unknown objective", args: []string{"run", "--minimize", "fun", "--", "true"},
			words: []string{"fun"}},
		{name: "unknown flag", args: []string{"run", "--frobnicate", "--", "true"},
			words: []string{"frobnicate"}},
		{name: "unknown subcommand", args: []string{"frobnicate"},
			words: []string{"frobnicate", "ebb --help"}},
		{name: "misspelt subcommand", args: []string{"reprot", "r.json"},
			words: []string{"reprot", "did you mean ebb report?"}},
		{name: "misspelt flag", args: []string{"run", "--slowdwon", "5%", "--", "true"},
			words: []string{"did you mean --slowdown?"}},
		{name: "help on no subcommand", args: []string{"help", "rum"},
			words: []string{"did you mean ebb run?"}},
		{name: "completion of no shell", args: []string{"completion", "tcsh"},
			words: []string{"tcsh"}},
		{name: "empty command", root: true, args: []string{"run", "--", ""},
			words: []string{"cannot run"}},
		{name: "pid beyond numbers", args: []string{"run", "--pid", "99999999999999999999"},
			words: []string{"--pid", "99999999999999999999"}},
		{name: "quantum without a unit", args: []string{"run", "--quantum", "5", "--", "true"},
			words: []string{"--quantum", "such as 5ms"}},
		{name: "slowdown as a fraction", args: []string{"run", "--slowdown", "0.05", "--", "true"},
			words: []string{"such as 5%"}},
		{name: "frequency without a unit",
			args: []string{"run", "--frequency", "2.4", "--", "true"}, words: []string{"2.4GHz"}},
		{name: "frequency that there is not", root: true,
			args:  []string{"run", "--shadow", "--frequency", "9GHz", "--", "true"},
			words: []string{"9GHz", "1GHz to 4GHz"}},
		{name: "frequency and slowdown",
			args:  []string{"run", "--frequency", "2GHz", "--slowdown", "5%", "--", "true"},
			words: []string{"--slowdown", "--frequency"}},
		{name: "frequency and objective",
			args: []string{"run", "--frequency", "2GHz", "--minimize", "system-energy", "--",
				"true"}, words: []string{"not both"}},
		{name: "table of functions from a pipe",
			args:  []string{"run", "--sensitivity", pipe, "--", "true"},
			words: []string{"--sensitivity", pipe, "not a file"}},
		{name: "table of functions to a pipe", root: true,
			args:  []string{"record", "--sensitivity", pipe, "--", "true"},
			words: []string{"--sensitivity", pipe, "not a regular file"}},
		{name: "objective and margin",
			args:  []string{"run", "--minimize", "system-energy", "--margin", "2%", "--", "true"},
			words: []string{"--margin", "--minimize"}},
		{name: "no user", args: []string{"run", "--user", "", "--", "true"},
			words: []string{"--user", "empty"}},
		{name: "no report", args: []string{"run", "--report", "", "--", "true"},
			words: []string{"--report", "empty"}},
		{name: "rate without methods", args: []string{"run", "--rate", "99", "--", "true"},
			words: []string{"--rate", "--methods"}},
		{name: "power without methods", args: []string{"run", "--tdp", "84W", "--", "true"},
			words: []string{"--tdp", "--methods"}},
		{name: "flag that is neither true nor false",
			args:  []string{"run", "--methods=perhaps", "--", "true"},
			words: []string{"--methods", "perhaps"}},
		{name: "config that does not exist",
			args: []string{"run", "--config", missing, "--", "true"}, words: []string{missing}},
		{name: "config with a typo",
			args: []string{"run", "--config", config("typo.toml", "slowdwn = \"5%\"\n"), "--",
				"true"}, words: []string{"typo.toml", "slowdwn"}},
		{name: "config that is no TOML",
			args:  []string{"run", "--config", config("broken.toml", "[[[\n"), "--", "true"},
			words: []string{"broken.toml"}},
		{name: "config with a bad value",
			args: []string{"run", "--config", config("bad.toml", "slowdown = \"5\"\n"), "--",
				"true"}, words: []string{"bad.toml", "slowdown"}},
		{name: "record without a file", args: []string{"record", "--", "true"}},
		{name: "predict without a target",
			args:  []string{"predict", config("t.csv", tableHead+tableRow)},
			words: []string{"--to"}},
		{name: "predict without a file", args: []string{"predict", "--to", "2GHz"}},
		{name: "predict to no frequency",
			args:  []string{"predict", config("t2.csv", tableHead+tableRow), "--to", "fast"},
			words: []string{"fast"}},
		{name: "predict with an unknown model",
			args: []string{"predict", config("t3.csv", tableHead+tableRow), "--to", "2GHz",
				"--model", "oracle"}, words: []string{"oracle"}},
		{name: "predict from a missing file", args: []string{"predict", missing, "--to", "2GHz"},
			words: []string{missing}},
		{name: "replay of a missing file", args: []string{"replay", missing},
			words: []string{missing}},
		{name: "replay of something else", args: []string{"replay", config("text", "hello\n")},
			words: []string{"text"}},
		{name: "replay without a file", args: []string{"replay"}},
		{name: "version with an argument", args: []string{"version", "x"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.root {
				needRoot(t)
				nothingLeft(t)
			}
			if strings.Contains(tc.name, "kernel thread") && !isKernelThread(2) {
				t.Skip("process 2 is no kernel thread here (a PID namespace)")
			}
			cmd := command(t, tc.args...)
			cmd.Dir = t.TempDir()
			refused(t, finish(t, cmd), 2, tc.words...)
			onlyFiles(t, cmd.Dir)
		})
	}
}

// isKernelThread: a kernel thread has no memory of its own, so its command line is empty.
func isKernelThread(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && len(b) == 0
}

func TestBadReportPathIsFoundBeforeTheProgramRuns(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := t.TempDir()
	for _, flag := range []string{"--report", "--record"} {
		cmd := command(t, "run", flag, "/no/such/dir/file", "--", "touch",
			filepath.Join(dir, "ran"))
		refused(t, finish(t, cmd), 2, "/no/such/dir")
		onlyFiles(t, dir)
	}
}

// TestWithoutBTF hides the kernel's type information behind an empty file system, in a mount
// namespace of its own.
func TestWithoutBTF(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	hide := "mount -t tmpfs none /sys/kernel/btf && exec \"$@\""
	if out, err := exec.Command("unshare", "-m", "sh", "-c", hide, "sh",
		"true").CombinedOutput(); err != nil {
		t.Skipf("no mount namespace here: %v %s", err, out)
	}
	cmd := command(t, "run", "--", "true")
	cmd.Args = append([]string{"unshare", "-m", "sh", "-c", hide, "sh"}, cmd.Args...)
	var err error
	if cmd.Path, err = exec.LookPath("unshare"); err != nil {
		t.Skip(err)
	}
	refused(t, finish(t, cmd), 1, "BTF")
}
