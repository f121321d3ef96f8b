package bpf

import (
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
)

// alarmed reports whether the alarm goes off within d.
func alarmed(t *testing.T, tr *Tracer, d time.Duration) bool {
	t.Helper()
	fds := []unix.PollFd{{Fd: int32(tr.Alarm()), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, int(d.Milliseconds()))
	if err != nil {
		t.Fatal(err)
	}
	return n > 0 && fds[0].Revents&unix.POLLIN != 0
}

// TestOnlyAStalledReaderRaisesTheAlarm: a reader that ignores the bells of a running target has
// stalled; one that sleeps with its target has not.
func TestOnlyAStalledReaderRaisesTheAlarm(t *testing.T) {
	// A reader that reads may wait for its turn on a busy machine.
	const limit = time.Second
	for _, tc := range []struct {
		what      string
		command   []string
		reads     bool
		watched   bool
		wantAlarm bool
	}{
		{"reader stands still", []string{"sh", "-c", "while :; do :; done"}, false, true, true},
		{"reader stands still and the target sleeps",
			[]string{"sh", "-c", "for i in $(seq 9999); do :; done; exec sleep 100"},
			false, true, true},
		{"reader reads", []string{"sh", "-c", "while :; do :; done"}, true, true, false},
		{"target sleeps", []string{"sleep", "100"}, true, true, false},
		{"not watched", []string{"sh", "-c", "while :; do :; done"}, false, false, false},
	} {
		t.Run(tc.what, func(t *testing.T) {
			tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
			if tc.watched {
				tr.Watch(limit)
			}
			var r *reader
			if tc.reads {
				r = drain(tr, func(*epochs.Event) {})
			}
			cmd := exec.Command(tc.command[0], tc.command[1:]...)
			if err := tr.Launch(func() (int, error) { return 0, cmd.Start() }); err != nil {
				t.Fatal(err)
			}
			// An event that must happen gets the time of a busy machine, one that must not twice
			// the limit.
			within := 2 * limit
			if tc.wantAlarm {
				within = 20 * time.Second
			}
			if got := alarmed(t, tr, within); got != tc.wantAlarm {
				t.Errorf("alarm: %v", got)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it was killed
			if r != nil {
				r.finish(t)
			}
		})
	}
}
