package vm

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	plans "github.com/ebb-energy/ebb/internal/app/qualify"
)

// whole is the mode of the qualification that runs whole; tools/test-vm.sh hands it on.
var whole = flag.String("whole", "", "run a qualification in this `mode`: quick, default or full")

// TestQualifyWhole runs a qualification as a user does, with the mode's own times, rounds and
// clocks, finds what is there, and prints its result for ebb qualify --show.
func TestQualifyWhole(t *testing.T) {
	if *whole == "" {
		t.Skip("only with WHOLE=quick, default or full")
	}
	settle(t)
	fault(t, "ipc_permille", ownWork)
	const config, dir = "/tmp/qualify.toml", "/tmp/whole"
	writeFile(t, config, "quantum = \""+quantum+"\"\n")
	flags := []string{"qualify", "--config", config, "-o", dir}
	if *whole != string(plans.Default) {
		flags = append(flags, "--"+*whole)
	}
	before := controls(t)
	c := exec.Command("/bin/ebb", flags...)
	c.Stdout, c.Stderr = os.Stdout, os.Stdout // it takes long: it says how far it is
	err := c.Run()
	same(t, controls(t), before)
	var text bytes.Buffer
	if err := json.Compact(&text, []byte(read(t, dir+"/qualify.json"))); err != nil {
		t.Fatal(err)
	}
	t.Log("qualify.json: " + text.String())
	q := resultIn(t, dir)
	if err != nil || len(q.Changed) > 0 || q.Interrupted {
		t.Errorf("%v, changed %v, interrupted %v", err, q.Changed, q.Interrupted)
	}
	plan := plans.NewPlan(plans.Mode(*whole), 0, 0, 0, nil)
	var took, planned time.Duration
	for _, s := range q.Steps {
		if s.State != string(plans.Finished) {
			t.Errorf("step %d: %s: %s", s.Step, s.State, s.Because)
		}
		took, planned = took+time.Duration(s.TookNS), planned+plan.Time(s.Step)
		t.Logf("step %d took %v of %v planned", s.Step, time.Duration(s.TookNS).Round(
			100*time.Millisecond), plan.Time(s.Step).Round(100*time.Millisecond))
	}
	t.Logf("governed: %v of %v planned, %s: %s", took.Round(time.Second),
		planned.Round(time.Second), q.Verdict.Answer, q.Verdict.Sentence)
	if took > 2*planned {
		t.Errorf("it took %v, and the plan says %v", took, planned)
	}
	for _, c := range q.Verdict.Checks {
		if c.Answer == not && !strings.Contains(c.Question, startCosts) {
			t.Errorf("step %d, %s %s", c.Step, c.Question, c.Found)
		}
	}
	q.truths(t)
}

// startCosts is of the questions whose answer may be no: each of these short runs begins with ebb's
// start, which takes its energy on this slow CPU, and at the highest clock.
const startCosts = "against static-optimal"

// mostBeyond is the part of a run's time by which ebb may miss its budget; measured: 0.5 %.
const mostBeyond = 0.02

// truths compares what was found with the platform's physics (model.c).
func (q *qualified) truths(t *testing.T) {
	const fullLoad = 2.5 + 1.5 + 4 + 12 // W: uncore, memory, leakage and core at the highest clock
	loads := q.Steps[plans.StepMeters-1].Meters.Meters[0].Loads
	if w := loads[len(loads)-1].Power; w < 0.98*fullLoad || w > 1.02*fullLoad {
		t.Errorf("%.2f W at full load, not %.2f", w, fullLoad)
	}
	alone := q.Steps[plans.StepBudgets-1].Comparisons[0].Settings
	for _, s := range alone {
		if s.Budget == nil {
			continue
		}
		over := float64(s.WallNS)/float64(alone[0].WallNS) - 1 - *s.Budget
		t.Logf("%s: %.1f %% beyond its budget", s.Setting, 100*over)
		if over > mostBeyond || s.EnergyNJ >= alone[0].EnergyNJ {
			t.Errorf("%+v against %+v", s, alone[0])
		}
	}
}
