package meters

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/units"
)

// richModel is a model of the same machine that also wants the collections of JVMs, 5 W for each in
// a second.
const richModel = `{"ebbmodel":1,"learner":"ridge","tier":"jvm","provenance":{"cpu_model":"A",
"cpus":2},"inputs":[{"name":"cpu_busy","range":[0,100]},{"name":"jvm_gc_count","range":[0,4]}],
"power_w":[9,80],"line":{"base_w":10,"weights_w":[30,20],"means":[0.5,0.5]},"simpler":`

// collecting are events of a JVM that has two collections a second, from its third window on.
type collecting struct{ n int }

func (c *collecting) window(in map[string]float64) bool {
	c.n++
	if c.n >= 3 {
		in["jvm_gc_count"] = 2
	}
	return c.n >= 3
}

func (c *collecting) end() []string { return []string{"a second one has no probes"} }
func (c *collecting) close() error  { return nil }

// TestEventsOfJVMs: each window is predicted by the richer model as soon as a JVM's events are
// counted, and by the simpler one before; the report says how many, and what was not counted.
func TestEventsOfJVMs(t *testing.T) {
	both, err := powermodel.ReadModel(strings.NewReader(richModel +
		strings.Replace(linear, `"ebbmodel":1,`, "", 1) + "}"))
	if err != nil {
		t.Fatal(err)
	}
	simple := usable(both, activity.Names(2), false)
	if simple != both.Simpler || usable(both, activity.Names(2), true) != both {
		t.Fatal("the wrong tiers can be used")
	}
	m := &trained{model: simple, rich: both, events: &collecting{}, source: busyFor(1, 1, 0),
		cpus: []energy.CPU{0, 1}}
	for i, want := range []float64{0, 40, 50, 20} {
		if got := m.Cut(units.Instant(1 + i*1e9))[0]; math.Abs(float64(got)/1e9-want) > 1e-6 {
			t.Errorf("cut %d: %v, want %v J", i, got, want)
		}
	}
	r := report.Report{Power: &report.Power{Taken: wattmeter.Trained}}
	if err := m.Finish(context.Background(), &r); err != nil {
		t.Fatal(err)
	}
	if p := r.Power.Trained; p.JVMWindows != 2 || p.Windows != 3 || len(r.Warnings) != 1 ||
		!strings.Contains(r.Warnings[0], "has no probes") {
		t.Errorf("%+v, warnings %q", p, r.Warnings)
	}
}

// TestHotPlug: a window after which a CPU was gone counts as outside, and one without a counter is
// predicted by the model with the kernel's inputs, and counted.
func TestHotPlug(t *testing.T) {
	counts := `{"ebbmodel":1,"learner":"ridge","provenance":{"cpu_model":"A","cpus":2},` +
		`"inputs":[{"name":"cpu_busy","range":[0,100]},{"name":"cycles","range":[0,4e9]}],` +
		`"power_w":[9,90],"line":{"base_w":10,"weights_w":[30,20],"means":[0.5,0.5]},"simpler":`
	m, err := powermodel.ReadModel(strings.NewReader(counts +
		strings.Replace(linear, `"ebbmodel":1,`, "", 1) + "}"))
	if err != nil {
		t.Fatal(err)
	}
	source := busyFor(1, 1, 1)
	for i := range source.readings {
		r := &source.readings[i]
		r.Counts = []activity.Count{{Name: "cycles", N: uint64(i) * 4e9,
			Ran: time.Duration(2*i) * time.Second}}
	}
	source.readings[2].Counts[0].Ran -= time.Second // stood still
	source.readings[3].Stat.CPUs = 1
	source.readings[3].CPUs.Busy -= 1e9
	meter := &trained{model: m, plain: m.Simpler, source: source, cpus: []energy.CPU{0, 1}}
	for i, want := range []float64{0, 60, 40, 60} {
		if got := meter.Cut(units.Instant(1 + i*1e9))[0]; math.Abs(float64(got)/1e9-want) > 1e-6 {
			t.Errorf("cut %d: %v, want %v J", i, got, want)
		}
	}
	r := report.Report{Power: &report.Power{Taken: wattmeter.Trained}}
	if err := meter.Finish(context.Background(), &r); err != nil {
		t.Fatal(err)
	}
	if p := r.Power.Trained; p.OutsideWindows != 1 || len(r.Warnings) != 1 ||
		!strings.Contains(r.Warnings[0], "1 of 3 windows") {
		t.Errorf("%+v, warnings %q", p, r.Warnings)
	}
}

// TestMostOutside: the report names the input that was outside its trained range most often.
func TestMostOutside(t *testing.T) {
	narrow, err := powermodel.ReadModel(strings.NewReader(strings.Replace(linear, "[0,100]",
		"[0,10]", 1)))
	if err != nil {
		t.Fatal(err)
	}
	m := &trained{model: narrow, source: busyFor(1, 1), cpus: []energy.CPU{0, 1}}
	for i := range 3 {
		m.Cut(units.Instant(1 + i*1e9))
	}
	m.note([]string{"contexts"})
	f := wattmeter.Facts{Model: "m"}
	r := report.Report{Power: &report.Power{Ladder: wattmeter.Rungs(&f),
		Taken: wattmeter.Trained}}
	if err := m.Finish(context.Background(), &r); err != nil {
		t.Fatal(err)
	}
	if p := r.Power.Trained; p.MostOutside != "cpu_busy" || p.OutsideWindows != 2 ||
		len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "most often \"cpu_busy\"") {
		t.Errorf("%+v, %q", p, r.Warnings)
	}
}
