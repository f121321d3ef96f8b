package hostile

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// Names that would have a terminal do something: change its title, and the same begun by the
// one-byte form of ESC [.
const (
	escape  = "\x1b]0;evil\x07"
	escape8 = "e\u009b31m"
	raw8    = "e\x9b31m"
)

// clean fails the test when a text has characters that control a terminal.
func clean(t *testing.T, what, text string) {
	t.Helper()
	for i, c := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		bad := c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 ||
			c == utf8.RuneError && size == 1
		if bad {
			t.Errorf("%s has %q, in %q", what, text[i:i+size],
				text[max(0, i-30):min(len(text), i+30)])
			return
		}
	}
}

// shown checks everything that ebb prints of a run.
func (b *bed) shown(t *testing.T, r *running) {
	t.Helper()
	text, err := os.ReadFile(r.errs)
	must(t, err)
	clean(t, "the summary", string(text))
	report := filepath.Join(b.own, "r.json")
	if _, err := os.Stat(report); err != nil {
		t.Fatalf("no report: %s", text)
	}
	for _, view := range [][]string{{"--top", "0"}, {"--top", "0", "--by", "thread"},
		{"--format", "csv"}, {"--format", "csv", "--by", "thread"}, {"--format", "folded"}} {
		out, err := exec.Command(ebbPath(),
			append([]string{"report", report}, view...)...).CombinedOutput()
		if err != nil {
			t.Errorf("report %v: %v %s", view, err, out)
		}
		clean(t, "report "+strings.Join(view, " "), string(out))
	}
}

// named SECONDS has threads whose names are escapes.
func named(args []string) {
	check(os.Chdir("/"))
	done := make(chan bool)
	for _, name := range []string{escape, escape8, raw8, "=1+1", "\n\rnew"} {
		go func() {
			runtime.LockOSThread()
			p, _ := unix.BytePtrFromString(name)
			check(unix.Prctl(unix.PR_SET_NAME, uintptr(pointerOf(p)), 0, 0, 0))
			burn(seconds(args[0]))
			done <- true
		}()
	}
	for range 5 {
		<-done
	}
}

// attackThreadNames: threads are called what a terminal obeys.
func attackThreadNames(t *testing.T) {
	b := lay(t)
	r := b.sampled(t, attacker("named", "1"))
	r.finish(15 * time.Second)
	b.shown(t, r)
}

// attackFormulas: threads are called what a table of numbers computes.
func attackFormulas(t *testing.T) {
	b := lay(t)
	r := b.sampled(t, attacker("named", "1"))
	r.finish(15 * time.Second)
	out, err := exec.Command(ebbPath(), "report", filepath.Join(b.own, "r.json"), "--by", "thread",
		"--format", "csv").Output()
	must(t, err)
	for line := range strings.Lines(string(out)) {
		for field := range strings.SplitSeq(line, ",") {
			if f := strings.Trim(field, "\"\n"); f != "" && strings.ContainsAny(f[:1], "=@+") {
				t.Errorf("a formula: %q", line)
			}
		}
	}
}

// attackFileNames: the files that the program has mapped, and their symbols, are called so.
func attackFileNames(t *testing.T) {
	for _, name := range []string{escape, escape8, raw8} {
		b := lay(t)
		path := b.crafted(name)
		craft(t, path, symbolTable(2, name)...)
		r := b.sampled(t, attacker("within", path, "1", "none"))
		r.finish(15 * time.Second)
		b.shown(t, r)
		path = b.crafted(name + "2") // the file alone, as it has no symbols
		craft(t, path)
		r = b.sampled(t, attacker("within", path, "1", "none"))
		r.finish(15 * time.Second)
		b.shown(t, r)
	}
}

// attackArguments: a running program's command line is 64 KB of escapes.
func attackArguments(t *testing.T) {
	for _, name := range []string{escape, escape8, raw8} {
		b := lay(t)
		cmd := hostileAs(t, b, "/bin/sleep", strings.Repeat(name, 60000/len(name)), "20")
		for _, more := range [][]string{{}, {"--methods"}} {
			report := filepath.Join(b.own, "r.json")
			args := append(append([]string{"run"}, b.machine()...), "--duration", "300ms",
				"--report", report, "--pid", strconv.Itoa(cmd.Process.Pid))
			r := b.start(t, append(args, more...)...)
			r.finish(10 * time.Second)
			text, err := os.ReadFile(r.errs)
			must(t, err)
			clean(t, "the summary", string(text))
		}
	}
}

// hostileAs starts a program as nobody by another name than its own.
func hostileAs(t *testing.T, b *bed, path string, argv ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(path)
	cmd.Args = argv
	cmd.Dir = b.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true,
		Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// attackCommandName: ebb runs a command with such a name and such arguments.
func attackCommandName(t *testing.T) {
	for _, name := range []string{escape, escape8, raw8} {
		b := lay(t)
		path := b.file(t, strings.ReplaceAll(name, "/", ""), []byte("#!/bin/sh\nexit 0\n"))
		r := b.sampled(t, []string{path, name})
		r.finish(10 * time.Second)
		b.shown(t, r)
		// A command that does not exist, is none, or cannot be run gets a sentence.
		for _, wrong := range []string{b.crafted("no" + name), b.dir} {
			r := b.sampled(t, []string{wrong})
			r.finish(10 * time.Second)
			clean(t, "the refusal", r.stderr())
		}
	}
}

// attackCgroupName: the cgroup that ebb governs is called so.
func attackCgroupName(t *testing.T) {
	root := cgroup2(t)
	for _, name := range []string{escape, escape8} {
		b := lay(t)
		group := filepath.Join(root, fmt.Sprintf("ebb-hostile-%d-%s", os.Getpid(), name))
		must(t, os.Mkdir(group, 0o755))
		t.Cleanup(func() { removeGroup(group) })
		target := hostile(t, b, attacker("spin", "20"))
		must(t, os.WriteFile(filepath.Join(group, "cgroup.procs"),
			[]byte(strconv.Itoa(target.Process.Pid)), 0))
		args := append(append([]string{"run", "--methods"}, b.machine()...), "--duration", "500ms",
			"--report", filepath.Join(b.own, "r.json"), "--cgroup", group)
		r := b.start(t, args...)
		r.finish(10 * time.Second)
		b.shown(t, r)
		r = b.start(t, append(append([]string{"run"}, b.machine()...), "--cgroup", group+"x")...)
		r.finish(10 * time.Second)
		clean(t, "the refusal", r.stderr())
		_ = target.Process.Kill()
		_, _ = target.Process.Wait()
	}
}

// attackTableNames: another user's epoch table, recording or report has such a workload's name.
func attackTableNames(t *testing.T) {
	b := lay(t)
	for _, name := range []string{escape, escape8} {
		quoted, err := json.Marshal(name)
		must(t, err)
		table := b.file(
			t, "t.csv", []byte(
				fmt.Sprintf(
					"# {\"workload\":%s,\"freq_mhz\":4000,\"n_threads\":2,\"total_ns\":1000,"+
						"\"epochs\":2,\"time_unit\":\"ns\"}\n%s,x\n", quoted, name,
				),
			),
		)
		report := b.file(t, "r.json",
			[]byte(
				fmt.Sprintf(
					`{"version":%s,"command":%[1]s,"warnings":[%[1]s],"attribution":{"rules":["ledger"],"threads":[{"tid":1,"pid":1,"comm":%[1]s}],"problems":[%[1]s],"zones":[{"name":%[1]s}]}}`, quoted,
				),
			))
		wrong := b.file(t, "w.json", []byte(fmt.Sprintf(`{"attribution":%s}`, quoted)))
		toml := b.file(t, "c.toml", []byte(fmt.Sprintf("\"%s\" = 1\n",
			strings.Trim(string(quoted), `"`))))
		for _, args := range [][]string{
			{"predict", table}, {"replay", table}, {"report", report},
			{"report", report, "--by", "thread", "--format", "csv"}, {"report", wrong},
			{"run", "--config", toml, "--", "true"}, {"predict", b.crafted(name)},
			{"report", b.crafted(name)},
		} {
			out, _ := exec.Command(ebbPath(), args...).CombinedOutput()
			clean(t, fmt.Sprintf("%q", args), string(out))
		}
	}
}
