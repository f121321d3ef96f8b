package machine

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/units"
)

// lineModel is of a machine that draws 10 W idle and 5 W more for each of two busy CPUs, of which
// 90 % were busy at most.
func lineModel(t *testing.T, cpuModel string, programs int) *powermodel.Model {
	t.Helper()
	return modelFrom(t, cpuModel, programs, 0)
}

// modelFrom is lineModel trained while at least so many percent were busy.
func modelFrom(t *testing.T, cpuModel string, programs int, least float64) *powermodel.Model {
	t.Helper()
	rnd := rand.New(rand.NewPCG(36, 1))
	table := &powermodel.Table{Inputs: []string{"cpu_user"}, Columns: [][]float64{nil}}
	for p := range programs {
		table.Programs = append(table.Programs, string(rune('a'+p)))
		for range 100 {
			busy := least + (90-least)*rnd.Float64()
			table.Program = append(table.Program, p)
			table.Columns[0] = append(table.Columns[0], busy)
			table.Power = append(table.Power, 10+busy/100*10*(1+0.02*rnd.NormFloat64()))
		}
	}
	m, err := powermodel.Train(table, powermodel.Ridge, powermodel.Provenance{CPUModel: cpuModel,
		CPUs: 2, Date: "2026-11-29", Meter: "rapl"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// played is a reader of what a kernel would have counted.
type played struct {
	at   units.Instant
	user float64 // s of all CPUs
	err  error
}

func (p *played) Read() (r activity.Reading, err error) {
	r.At, r.Stat.CPUs = p.at, 2
	r.Stat.User = time.Duration(p.user * 1e9)
	return r, p.err
}

func (p *played) Close() error { return nil }

// TestTrainedWindows: what a model says of windows is divided as a meter's energy is, with the
// model's error in each group's interval. A window that cannot be read, and the one behind it, are
// unattributed, and so is one outside of what the model was trained on.
func TestTrainedWindows(t *testing.T) {
	source := &played{at: 1e9}
	m := &meters{model: &trained{model: lineModel(t, "x", 6), source: source, cpus: 2},
		doubt: make([]string, 1), taken: wattmeter.Trained}
	m.zones = []energy.Zone{m.model.zone([]energy.CPU{0})}
	if idle := float64(m.zones[0].Idle); math.Abs(idle-10) > 0.5 {
		t.Errorf("%v W idle, not 10", idle)
	}
	if err := m.model.begin(source.at); err != nil {
		t.Fatal(err)
	}
	account := groups.New(m.zones, groups.NoShare)
	window := func(busy float64, err error) {
		from := source.at
		source.at += 1e9
		source.user, source.err = source.user+busy, err // of 1 s
		a := m.predict(source.at)
		w := groups.Window{From: from, To: source.at, Used: a.used, Low: a.low, High: a.high,
			Blind: a.blind, Idle: []time.Duration{time.Duration((2 - busy) * 1e9)},
			Others: []time.Duration{0}}
		for name, part := range map[string]float64{"a": 0.75, "b": 0.25} {
			w.Groups = append(w.Groups, groups.Use{Group: groups.Name{Kind: "unit", Name: name},
				Time: []time.Duration{time.Duration(busy * part * 1e9)}})
		}
		if err := account.Book(&w); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		window(1.6, nil)
	}
	if m.doubt[0] != "" {
		t.Error(m.doubt[0])
	}
	r := reported(account, m, 10*time.Second)
	z := r.Zones[0]
	if z.Source != "trained" || r.Power != wattmeter.Trained || z.UnattributedNJ != 0 {
		t.Errorf("%+v", z)
	}
	near := func(what string, nj int64, joules float64) {
		if j := float64(nj) / 1e9; math.Abs(j-joules) > 0.05*joules {
			t.Errorf("%s: %.2f J, not %.2f", what, j, joules)
		}
	}
	near("all", z.MeasuredNJ, 180)
	near("idle", z.IdleNJ, 100)
	near("a", r.Groups[0].Energy[0].EnergyNJ, 60)
	near("b", r.Groups[1].Energy[0].EnergyNJ, 20)
	if z.LowNJ == nil || *z.LowNJ >= z.MeasuredNJ || *z.HighNJ <= z.MeasuredNJ {
		t.Errorf("the machine's interval: %+v", z)
	}
	// Without the model's error a's share of 0.75 makes 0.75/(0.75+3.2*0.25) of 80 J the least.
	if low := float64(r.Groups[0].Energy[0].LowNJ) / 1e9; low >= 80*0.75/(0.75+3.2*0.25) {
		t.Errorf("a has %.2f J at least", low)
	}

	window(1.6, errors.New("no such file"))
	window(1.6, nil)
	if !strings.Contains(m.doubt[0], "no such file") {
		t.Errorf("it says %q", m.doubt[0])
	}
	window(2, nil)
	if !strings.Contains(m.doubt[0], "1 of 13 windows") {
		t.Errorf("it says %q", m.doubt[0])
	}
	if !strings.Contains(m.doubt[0], "2 of 13 windows could not be read (no such file)") {
		t.Errorf("it says %q", m.doubt[0])
	}
	z2 := reported(account, m, 13*time.Second).Zones[0]
	if z2.LowNJ != nil || z2.HighNJ != nil {
		t.Errorf("an interval of windows whose error nobody knows: %+v", z2)
	}
	near("unattributed", z2.UnattributedNJ, float64(z2.MeasuredNJ-z.MeasuredNJ)/1e9)
	if err := account.Check(); err != nil {
		t.Error(err)
	}
	if jobs := string(r.jobs(0, 0, time.Second)); strings.Count(jobs, "\n") != 1 {
		t.Errorf("Slurm gets what no meter measured: %s", jobs)
	}
}

// TestIdleOfAModel: a model that saw no machine near idle does not say what that draws.
func TestIdleOfAModel(t *testing.T) {
	for least, known := range map[float64]bool{0: true, 3: true, 40: false} {
		m := trained{model: modelFrom(t, "x", 6, least), cpus: 2}
		if idle := m.zone(nil).Idle; (idle > 0) != known {
			t.Errorf("trained from %v %% on: %v idle", least, idle)
		}
	}
}

// TestPowerModelRefused: a model of another machine, of inputs that no kernel counts, or of unknown
// error, is refused in a sentence.
func TestPowerModelRefused(t *testing.T) {
	facts := wattmeter.Facts{Processor: "x", CPUs: 2}
	counters := lineModel(t, "x", 6)
	counters.Inputs[0].Name = "cycles"
	for want, s := range map[string]*Settings{
		"--other-machine":      {PowerModel: lineModel(t, "y", 6)},
		"--inputs os":          {PowerModel: counters},
		"its error is unknown": {PowerModel: lineModel(t, "x", 3)},
	} {
		f := facts
		if _, err := describeModel(s, &f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	f := facts
	m, err := describeModel(&Settings{PowerModel: lineModel(t, "y", 6), OtherMachine: true}, &f)
	if err != nil || m == nil || f.Model == "" {
		t.Errorf("%v, %q: another machine's model is not used", err, f.Model)
	}
}
