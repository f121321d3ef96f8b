package bpf

import (
	"errors"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// TestVisitEndsAtHome: whatever the kernel says of a CPU, the thread is where it was afterwards.
func TestVisitEndsAtHome(t *testing.T) {
	before, err := proc.ThreadAffinity()
	if err != nil {
		t.Fatal(err)
	}
	if err := visitCPUs(); err != nil {
		t.Fatal(err)
	}
	if now, err := proc.ThreadAffinity(); err != nil || !slices.Equal(now, before) {
		t.Errorf("it may run on %v, before on %v; %v", now, before, err)
	}
	visited := 0
	refuse := func(err error) func(int) error {
		return func(cpu int) error {
			visited++
			if cpu == 1 {
				return err
			}
			return nil
		}
	}
	if err := visit(3, refuse(unix.EINVAL)); err != nil || visited != 3 {
		t.Errorf("offline CPUs: %v after %d", err, visited)
	}
	if err := visit(3, refuse(unix.EPERM)); !errors.Is(err, unix.EPERM) {
		t.Errorf("a refusal: %v", err)
	}
}
