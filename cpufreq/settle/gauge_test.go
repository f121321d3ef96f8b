package settle

import (
	"errors"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
)

// The read-back gauge reads what the kernel says: here with limits that are late.
func TestReadback(t *testing.T) {
	k := fakekernel.New(t, acpi())
	fs := k.FS(t)
	g, err := newReadback(fs, 0)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := g.Window(window); err != nil || s != 4e9 || g.Source() != Kernel {
		t.Errorf("%s %v, %v", g.Source(), s, err)
	}
	k.Vanish(0)
	if s, err := g.Window(window); err == nil {
		t.Errorf("a domain that is gone runs at %v", s)
	}
	if _, err := newReadback(fs, 0); err == nil {
		t.Error("a gauge of a domain that is gone")
	}
}

// TestLoop: the loop's speed does not depend on the length of the window. Short and long windows
// take turns, because the CPU's own speed may change meanwhile.
func TestLoop(t *testing.T) {
	runtime.LockOSThread() // it counts the thread's CPU time
	defer runtime.UnlockOSThread()
	l := &loop{state: 1}
	var best [2]float64
	for range 200 {
		for i, d := range []time.Duration{window, 10 * window} {
			s, err := l.Window(d)
			if err != nil || s <= 0 {
				t.Fatalf("%v, %v", s, err)
			}
			best[i] = max(best[i], s)
		}
	}
	if short, long := best[0], best[1]; short < 0.7*long || short > 1.4*long {
		t.Errorf("%v in a short window, %v in a long one", short, long)
	}
}

// On a machine of files, whose clock follows no request, a run finds that out in time.
func TestRunOnAMachineWithoutAnEffect(t *testing.T) {
	k := fakekernel.New(t, acpi())
	fs := k.FS(t)
	a, err := cpufreq.Start(fs, cpufreq.Config{RunDir: filepath.Join(t.TempDir(), "run")})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	r, err := Run(fs, a)
	if !errors.Is(err, ErrUnobserved) {
		t.Errorf("%+v, %v", r, err)
	}
	if o := a.Set(a.States()[len(a.States())-1]); o[0].Kind != cpufreq.Unchanged {
		t.Errorf("it was not left at the highest state: %+v", o[0])
	}
}

func TestRunOnAbsentHardware(t *testing.T) {
	k := fakekernel.New(t, fakekernel.Spec{})
	if _, err := Run(k.FS(t), cpufreq.NewShadow("asked for")); !errors.Is(err, ErrUnobserved) ||
		!errors.Is(err, cpufreq.ErrNone) {
		t.Errorf("%v", err)
	}
}
