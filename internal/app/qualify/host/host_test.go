package host

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// bare is a machine that has CPUs, and nothing else.
const bare = `
file 0444 devices/system/cpu/online
	0-1
`

func qualified(t *testing.T, ctx context.Context, tree string, steps ...int) *qualify.Result {
	t.Helper()
	kept := 0
	r, err := Run(ctx, &Settings{Plan: qualify.NewPlan(qualify.Quick, 50*time.Millisecond, 1, 2,
		steps), Self: "/nowhere/ebb", Sysfs: devtest.Tree(t, tree), Proc: "/proc",
		RunDir: filepath.Join(t.TempDir(), "run"), Say: t.Logf,
		Keep: func(r *qualify.Result) error { kept++; return nil }})
	if err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	if ctx.Err() == nil && kept != len(r.Plan.Asked) {
		t.Errorf("%d of %d steps were kept", kept, len(r.Plan.Asked))
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := qualify.Read(b); err != nil {
		t.Errorf("what was written cannot be read: %v", err)
	}
	return r
}

// On a machine with nothing each step says what is absent, and nothing is known.
func TestNothingThere(t *testing.T) {
	r := qualified(t, context.Background(), bare, 1, 2, 4, 5, 6, 7, 8)
	for _, n := range []int{2, 5, 6, 7, 8} {
		if s := r.Step(n); s.State != qualify.Skipped || s.Absence != qualify.NotSupported ||
			!strings.Contains(s.Because, "no frequency domain") {
			t.Errorf("step %d: %+v", n, s)
		}
	}
	if s := r.Step(4); s.State != qualify.Skipped || !strings.Contains(s.Because, "RAPL") ||
		!strings.Contains(s.Because, "battery") {
		t.Errorf("step 4: %+v", s)
	}
	if s := r.Step(3); s.State != qualify.NotRun {
		t.Errorf("step 3 was run: %+v", s)
	}
	if r.Verdict.Answer != qualify.Open || r.Step(1).There == nil {
		t.Errorf("%+v", r.Verdict)
	}
}

// After an interruption there is what was finished.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := qualified(t, ctx, bare, 1, 2)
	if s := r.Step(2); s.State != qualify.NotRun || !strings.Contains(s.Because, "interrupted") {
		t.Errorf("%+v", s)
	}
}

// A throttled CPU is seen by the kernel's counts.
func TestThrottled(t *testing.T) {
	r := qualified(t, context.Background(), bare+`
file 0444 devices/system/cpu/cpu1/thermal_throttle/core_throttle_count
	7
file 0444 class/power_supply/BAT0/type
	Battery
file 0444 class/power_supply/BAT0/status
	Discharging
file 0444 devices/system/cpu/cpu0/cpuidle/state1/name
	C6
file 0444 devices/system/cpu/cpu0/cpuidle/state1/disable
	1
`, 1)
	s := r.Step(1)
	if !s.Throttled.Known || s.Throttled.Any() {
		t.Errorf("%+v", s.Throttled)
	}
	if s.There.Supply != "battery" || len(s.There.Idle) != 1 || s.There.Idle[0] != "(C6)" {
		t.Errorf("%+v", s.There)
	}
	before := qualify.Throttled{Core: 7, Known: true}
	if got := since(before, qualify.Throttled{Core: 9, Known: true}); got.Core != 2 || !got.Any() {
		t.Errorf("%+v", got)
	}
}

// Names of hosts and users are taken out of sentences.
func TestPrivate(t *testing.T) {
	t.Setenv("SUDO_USER", "alice")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	r := qualify.Result{Changed: []string{"open /home/alice/x on " + host + ": denied"}}
	r.Scrub(private("/opt/x/ebb", "/tmp/y"))
	if text := r.Changed[0]; strings.Contains(text, "alice") ||
		host != "localhost" && strings.Contains(text, host) {
		t.Error(text)
	}
}
