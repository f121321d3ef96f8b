package vm

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// clocks are the mean clocks of the last run's functions, in GHz.
func clocks(t *testing.T) map[string]float64 {
	t.Helper()
	var rep struct {
		Attribution profile.Profile `json:"attribution"`
	}
	if b, err := os.ReadFile("/tmp/report.json"); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(b, &rep); err != nil || rep.Attribution.Functions == nil {
		t.Fatalf("%v: there are no functions", err)
	}
	by := map[string]float64{}
	for _, f := range rep.Attribution.Functions.List {
		by[f.Name] = float64(f.FreqHz) / 1e9
	}
	return by
}

// TestRank is SAFARI's first example (SA-16): an integer sort of which one function waits for
// memory and one does not. By a table of its functions ebb lowers the clock in the one and hardly
// in the other, which saves more than one clock that takes as much time (3.375 GHz). It takes so
// long that only make test-vm RUN=TestRank runs it.
func TestRank(t *testing.T) {
	settle(t)
	keep(t, states(t)[0])
	file, _ := recorded(t, load{sorts: true, times: 2}, "create_sequence", "rank")
	l := alone(t, load{sorts: true, times: 16})
	fault(t, "event_error", strconv.Itoa(int(unix.EBUSY)))
	byTable := []string{"--slowdown", "10%", "--sensitivity", file}
	governed(t, l.load, append(byTable, "--functions")...)
	by := clocks(t)
	u, rep, _ := governed(t, l.load, byTable...)
	slow, saved := against(l, u)
	t.Logf("governed by the table: slowdown %.2f %%, of which ebb's own %.2f; %.2f %% saved; "+
		"create_sequence at %.2f GHz, rank at %.2f; %+v", 100*slow, 100*rep.SlowdownOwn, 100*saved,
		by["create_sequence"], by["rank"], rep.Sensitivity)
	if by["rank"] > by["create_sequence"]-0.5 || by["rank"] == 0 {
		t.Errorf("clocks: %v", by)
	}
	if slow > 0.11 {
		t.Errorf("the slowdown is %.2f %%", 100*slow)
	}
	for _, khz := range []int{3375000, 3500000} {
		s, e := against(l, fixed(t, l.load, khz))
		t.Logf("at %d kHz: slowdown %.2f %%, %.2f %% saved", khz, 100*s, 100*e)
		if saved < e {
			t.Errorf("the table saves %.2f %%, one clock %.2f", 100*saved, 100*e)
		}
	}
}

// against returns a run's slowdown against one without ebb at the highest clock, and the share that
// it has saved of the energy of one under ebb.
func against(l *ungoverned, u usage) (slow, saved float64) {
	return u.time.Seconds()/l.plain.time.Seconds() - 1, 1 - u.joules()/l.top.joules()
}
