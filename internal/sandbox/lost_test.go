//go:build !race

package sandbox

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// TestEndedProcesses: the report has the number of all processes that were too short-lived for
// their mappings to be read, not of those alone that had been found when it was said first.
func TestEndedProcesses(t *testing.T) {
	mayOpen(t)
	r := newRun(t)
	pc := here()
	for i := range 3 {
		ended := exec.Command("true")
		if err := ended.Run(); err != nil {
			t.Fatal(err)
		}
		image := protocol.Image(i + 1)
		r.Bind(image, ended.Process.Pid)
		r.walk(image, i, pc)
		r.until(i + 1)
	}
	if _, err := r.Nameless(t.Context()); err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(r.Problems(), "\n"); !strings.Contains(said, "3 processes had ended") {
		t.Errorf("said %q", said)
	}
}

// TestKilled: each time the child is killed the next one goes on with the open questions; at most
// one sample is lost with it, and neither descriptors nor processes are left. After too many times
// no more is started, and nothing waits.
func TestKilled(t *testing.T) {
	r := newRun(t)
	r.Bind(1, os.Getpid())
	pc, sent := here(), 0
	feed := func() {
		for range 20 {
			r.walk(0, sent, pc) // a sample of no image, so that none is banned
			sent++
		}
		r.poll()
	}
	feed()
	r.until(sent)
	before := descriptors(t)
	for range maxRestarts {
		feed()
		if err := r.child.Kill(); err != nil {
			t.Fatal(err)
		}
		feed()
		r.until(sent)
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
	if n := r.lost(false); n > maxRestarts || r.restarts != maxRestarts {
		t.Errorf("%d lost in %d restarts", n, r.restarts)
	}
	if !strings.Contains(strings.Join(r.Problems(), "\n"),
		"the process that reads stacks was lost") {
		t.Errorf("%q", r.Problems())
	}
	feed()
	if err := r.child.Kill(); err != nil {
		t.Fatal(err)
	}
	r.until(sent)
	feed()
	if r.child != nil || r.opener != nil || len(r.out) != sent {
		t.Errorf("%v, %v, %d of %d answered", r.child, r.opener, len(r.out), sent)
	}
	r.Bind(3, 1)
	r.Unbind(3)
	r.Forget(3)
	r.AwaitAnswers(t.Context(), func() units.Instant { return r.now })
	if f := r.named(1, pc); f.Kind != "unresolved" ||
		r.PerfMaps(t.Context(), []protocol.Image{1}) == nil {
		t.Errorf("%+v", f)
	}
	if cpu, peak := r.Use(); cpu < 0 || peak < 0 {
		t.Errorf("%v, %d", cpu, peak)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestStopped: a child that does not go on is replaced after a while, without waiting for it.
func TestStopped(t *testing.T) {
	r := newRun(t)
	r.walk(0, 0, here())
	r.until(1)
	if err := r.child.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	r.walk(0, 1, here())
	r.now = r.now.Add(flushAfter)
	r.poll()
	r.now = r.now.Add(patience)
	if r.poll(); r.restarts != 0 {
		t.Error("it is replaced too early")
	}
	r.now = r.now.Add(time.Millisecond)
	if r.poll(); r.restarts != 1 {
		t.Errorf("%d restarts", r.restarts)
	}
	r.until(2)
	if n := r.lost(false); n > 1 {
		t.Errorf("%d lost", n)
	}
}

// TestStoppedWithoutSamples: a child whose socket is full of messages without answers is also
// replaced.
func TestStoppedWithoutSamples(t *testing.T) {
	r := newRun(t)
	if err := r.child.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for i := range protocol.Image(2000) {
		r.Forget(i + 10)
	}
	r.walk(0, 0, here())
	r.now = r.now.Add(flushAfter)
	r.poll()
	r.now = r.now.Add(patience + time.Millisecond)
	if r.poll(); r.restarts != 1 {
		t.Errorf("%d restarts", r.restarts)
	}
	r.until(1)
}

// TestOpenerLost: an opener that ends or stalls is replaced, and the files of other processes are
// opened by the next one.
func TestOpenerLost(t *testing.T) {
	for name, signal := range map[string]unix.Signal{"killed": unix.SIGKILL,
		"stopped": unix.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			r := newRun(t)
			r.Bind(1, os.Getpid())
			if err := r.opener.Signal(signal); err != nil {
				t.Fatal(err)
			}
			r.walk(1, 0, here())
			r.until(1)
			for end := time.Now().Add(devtest.Hung); r.restarts == 0 &&
				time.Now().Before(end); time.Sleep(time.Millisecond) {
				r.poll()
			}
			if r.restarts != 1 || !strings.Contains(strings.Join(r.Problems(), "\n"),
				"could not be opened in time") {
				t.Errorf("%d restarts, %q", r.restarts, r.Problems())
			}
			mayOpen(t)
			pc := here()
			r.Bind(2, os.Getpid())
			r.walk(2, 1, pc)
			r.until(2)
			if f := r.named(2, pc); !strings.HasSuffix(f.Name, "TestOpenerLost.func1") {
				t.Errorf("%+v, %q", f, r.Problems())
			}
		})
	}
}

// TestBothLost: the opener has ended when a new child is to be made known to it.
func TestBothLost(t *testing.T) {
	r := newRun(t)
	for _, p := range []*process{r.opener, r.child} {
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	waitEnded(t, r.opener.Pid)
	r.walk(0, 0, here())
	r.until(1)
	if r.child == nil || r.opener == nil {
		t.Fatalf("%q", r.Problems())
	}
	r.walk(0, 1, here())
	r.until(2)
}

func waitEnded(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(devtest.Hung); time.Now().Before(end); {
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG,
			nil); err != nil || info.Signo != 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("it does not end")
}

// TestBanned: the image that a child was at when it was lost for the last time is not walked again,
// and others are.
func TestBanned(t *testing.T) { lostAt(t, maxDeaths-1, true) }

// TestForgiven: a child that was lost at an image before costs one sample.
func TestForgiven(t *testing.T) { lostAt(t, 0, false) }

// lostAt loses the child at an image at which it was lost before.
func lostAt(t *testing.T, before int, banned bool) {
	r := newRun(t)
	r.deaths[1] = before
	r.Bind(1, os.Getpid())
	r.Bind(2, os.Getpid())
	// so that the child waits while it is at the image
	if err := r.opener.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	r.walk(1, 0, here())
	r.poll()
	for end := time.Now().Add(devtest.Hung); r.child.progress.Image.Load() != 1 &&
		time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if err := r.child.Kill(); err != nil {
		t.Fatal(err)
	}
	r.until(1)
	if err := r.opener.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	pc := here()
	r.walk(1, 1, pc)
	r.walk(2, 2, pc)
	r.until(3)
	want := 1
	if banned {
		want = 2
	}
	if n := r.lost(true); n != want || len(r.out[2].frames) == 0 || r.banned[1] != banned ||
		r.banned[2] {
		t.Errorf("%d lost, want %d: %+v, %v", n, want, r.out, r.banned)
	}
	mayOpen(t)
	if f := r.named(2, pc); f.Kind != "native" {
		t.Errorf("%+v", f)
	}
	if f := r.named(1, pc); (f.Kind == "unresolved") != banned {
		t.Errorf("%+v", f)
	}
	if err := r.PerfMaps(t.Context(), []protocol.Image{1, 2}); err != nil {
		t.Error(err)
	}
}

// TestNotStarted: a process that the kernel does not start, as where it allows none more, is none
// whose end somebody could wait for.
func TestNotStarted(t *testing.T) {
	if p, err := start("a name that no program can be given: \x00"); err == nil || p != nil {
		t.Errorf("%+v, %v", p, err)
	}
}
