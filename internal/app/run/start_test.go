package run

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/run/part"
)

// unable is an instrument that fails when the command has begun.
type unable struct {
	part.Passive
	closed bool
}

var errUnable = errors.New("it is unable to")

func (u *unable) Started() error { return errUnable }
func (u *unable) Close() error {
	u.closed = true
	return nil
}

// TestInstrumentFailsAfterTheLaunch: a command that has begun is governed and waited for, whatever
// cannot be measured; the report says so, and so does ebb's status.
func TestInstrumentFailsAfterTheLaunch(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	defaults := NewSettings()
	s := &defaults
	s.Roots = part.Roots{Sysfs: "/sys", Proc: "/proc", RunDir: t.TempDir()}
	s.Quiet = true
	s.Shadow = true
	argv := []string{"/bin/sleep", "0.2"}
	if err := s.Complete(argv); err != nil {
		t.Fatal(err)
	}
	r, err := open(t.Context(), s, argv, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	u := &unable{}
	r.Use(part.Totals, u)
	if err := r.start(t.Context(), argv); err != nil {
		t.Fatalf("the start fails: %v", err)
	}
	if err := r.govern(t.Context()); err != nil {
		t.Fatal(err)
	}
	state := r.Host.ExitState()
	if state == nil || !state.Success() {
		t.Fatalf("the command was not waited for: %v", state)
	}
	if !errors.Is(r.unmeasured, errUnable) ||
		!strings.Contains(strings.Join(r.Report.Warnings, "\n"), errUnable.Error()) {
		t.Errorf("%v, %q", r.unmeasured, r.Report.Warnings)
	}
	if err := r.close(); err != nil || !u.closed {
		t.Errorf("%v, closed %v", err, u.closed)
	}
}
