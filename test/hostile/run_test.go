package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// running is an ebb that was started.
type running struct {
	*watch
	t       *testing.T
	cmd     *exec.Cmd
	out     string // the files of its output
	errs    string
	started time.Time
	ended   chan struct{}
	endedAt time.Time
	entered bool // it was in the cgroup that it was started in (left)
}

// start starts ebb with these arguments and watches it. At the test's end, whatever is left of it
// is killed.
func (b *bed) start(t *testing.T, args ...string) *running {
	t.Helper()
	return b.startFrom(t, exec.Command(ebbPath(), args...))
}

// startFrom is the same with a command that begins differently: in another directory, say.
func (b *bed) startFrom(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	file, err := os.Stat(ebbPath())
	must(t, err)
	r := &running{t: t, cmd: cmd, ended: make(chan struct{}), watch: &watch{
		bed: b, file: file, seen: map[int]*process{}, done: make(chan struct{}),
		gone: make(chan struct{}), names: map[int]string{},
	}}
	// Files and not pipes: what a program leaves behind may live on with them.
	dir := t.TempDir()
	r.out, r.errs = filepath.Join(dir, "out"), filepath.Join(dir, "err")
	if cmd.Dir == "" {
		cmd.Dir = "/"
	}
	stdout, err := os.Create(r.out)
	must(t, err)
	defer stdout.Close()
	stderr, err := os.Create(r.errs)
	must(t, err)
	defer stderr.Close()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	r.started = time.Now()
	must(t, cmd.Start())
	r.ebb = cmd.Process.Pid
	go r.watch.run()
	go func() {
		_ = cmd.Wait() // the state has how it ended
		r.endedAt = time.Now()
		close(r.ended)
	}()
	t.Cleanup(r.clear)
	return r
}

// clear kills ebb's processes and its command, and stops watching.
func (r *running) clear() {
	select {
	case <-r.done:
	default:
		r.stop()
	}
	for range 3 { // one killed may be started again by another
		for _, pid := range ebbs(r.file) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
		time.Sleep(5 * time.Millisecond)
	}
	_ = syscall.Kill(-r.ebb, syscall.SIGKILL)
	if r.target != 0 {
		_ = syscall.Kill(r.target, syscall.SIGKILL)
	}
	select {
	case <-r.ended:
	case <-time.After(devtest.Hung):
		r.t.Errorf("ebb (process %d) does not even end by SIGKILL", r.ebb)
	}
}

func (r *running) stop() {
	close(r.done)
	<-r.gone
}

// within waits for ebb's end and says whether it came.
func (r *running) within(d time.Duration) bool {
	if d > 0 {
		select {
		case <-r.ended:
		case <-time.After(d):
		}
	}
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// until waits for a condition, and fails the test when it does not come.
func (r *running) until(what string, d time.Duration, holds func() bool) {
	r.t.Helper()
	for end := time.Now().Add(d); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("not within %v: %s\n%s", d, what, r.stderr())
		}
	}
}

// governs waits until ebb has changed a clock. Beside fifty programs that compute, starting takes
// more than ten seconds.
func (r *running) governs() {
	r.t.Helper()
	r.until("ebb sets a clock", devtest.Hung, r.bed.touched)
}

func (r *running) signal(s syscall.Signal) { _ = r.cmd.Process.Signal(s) }

func (r *running) stderr() string { return tail(r.errs) }

// tail is the end of a file.
func tail(path string) string {
	b, _ := os.ReadFile(path)
	return string(b[max(0, len(b)-4000):])
}

// finish waits for ebb's end as if a user did who is patient for so long, then sends TERM twice. It
// checks everything that must hold of any run.
func (r *running) finish(patience time.Duration) {
	r.t.Helper()
	if !r.within(patience) {
		asked := time.Now()
		r.signal(syscall.SIGTERM)
		if !r.within(time.Second) {
			r.signal(syscall.SIGTERM)
		}
		if !r.within(maxEnd) {
			r.t.Errorf("ebb still runs %v after TERM, sent twice",
				time.Since(asked).Round(time.Second))
		}
		if r.within(0) {
			r.t.Logf("ended by TERM, %v after it", r.endedAt.Sub(asked).Round(time.Millisecond))
		}
		r.clocksBack(asked)
	} else if end := r.endOfTarget(); end.IsZero() || end.After(r.endedAt) {
		r.clocksBack(r.endedAt) // it ended before its target
	} else {
		r.clocksBack(end)
		if late := r.endedAt.Sub(end); late > maxEnd {
			r.t.Errorf("ebb ended %v after its target", late.Round(10*time.Millisecond))
		}
	}
	r.holds()
}

// clocksBack checks that no clock was as ebb set it later than a second after a moment.
func (r *running) clocksBack(since time.Time) {
	r.t.Helper()
	for end := since.Add(maxBack + 100*time.Millisecond); time.Now().Before(end) &&
		!r.within(0); time.Sleep(lookEvery) {
	}
	switch late := r.lastDirty().Sub(since); {
	case r.bed.touched():
		r.t.Errorf("the clocks are as ebb set them, %v after the run's end",
			time.Since(since).Round(10*time.Millisecond))
	case late > maxBack:
		r.t.Errorf("the clocks were put back %v after the run's end",
			late.Round(10*time.Millisecond))
	default:
		r.t.Logf("clocks back %v after the run's end", max(0, late).Round(10*time.Millisecond))
	}
}

// crashed says whether ebb ended by an error of its own and not by one that it reports.
func crashed(state *os.ProcessState, stderr string) bool {
	for _, sign := range []string{"fatal error: ", "panic: ", "\ngoroutine 1 ["} {
		if strings.Contains(stderr, sign) {
			return true
		}
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// holds checks the bounds of memory and CPU time.
func (r *running) holds() {
	r.t.Helper()
	r.stop()
	took, how := time.Since(r.started), "it still runs"
	if r.within(0) {
		took, how = r.endedAt.Sub(r.started), r.cmd.ProcessState.String()
	}
	r.t.Logf("took %v: memory %d MiB, CPU %v, real-time %v, %d processes of ebb's; %v",
		took.Round(10*time.Millisecond),
		r.memory>>20, r.total, r.real, len(r.seen), how)
	if r.within(0) && !r.cmd.ProcessState.Success() {
		lines := strings.Split(strings.TrimSpace(r.stderr()), "\n")
		r.t.Logf("it says: %.200s", lines[len(lines)-1])
	}
	if r.memory > maxMemory {
		r.t.Errorf("ebb took %d MiB", r.memory>>20)
	}
	if r.total > maxCPU {
		r.t.Errorf("ebb took %v of CPU time", r.total)
	}
	if limit := time.Duration(maxRealtime*float64(took)) + 100*time.Millisecond; r.real > limit {
		r.t.Errorf("ebb took %v at a real-time priority, of %v", r.real, took)
	}
	if r.within(0) && crashed(r.cmd.ProcessState, r.stderr()) {
		r.t.Errorf("ebb crashed: %v\n%s", r.cmd.ProcessState, r.stderr())
	}
}
