package meters

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/units"
)

// linear is a model of a machine with two CPUs that draws 10 W, and 40 W with both busy.
const linear = `{"ebbmodel":1,"learner":"ridge","tier":"os","provenance":{"cpu_model":"A","cpus":2,
"programs":["idle","sort"]},"inputs":[{"name":"cpu_busy","range":[0,100]}],"power_w":[9,50],
"line":{"base_w":10,"weights_w":[30],"means":[0.5]},
"interval":{"confidence":0.9,"programs":5,"scale_sqrt_w":0.5,"freedom":10,"half_width":0.1}}`

func linearModel(t *testing.T) *powermodel.Model {
	t.Helper()
	m, err := powermodel.ReadModel(strings.NewReader(linear))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// script is what the kernel has counted, reading by reading.
type script struct {
	readings []activity.Reading
	fail     map[int]bool
	n        int
}

func (s *script) Read() (activity.Reading, error) {
	i := s.n
	s.n++
	if s.fail[i] {
		return activity.Reading{}, errors.New("refused")
	}
	return s.readings[i], nil
}

func (s *script) Close() error { return nil }

// busyFor is the machine's counts after some seconds, each with a share of both CPUs busy.
func busyFor(shares ...float64) *script {
	s := &script{fail: map[int]bool{}}
	r := activity.Reading{At: 1, Stat: activity.Stat{CPUs: 2}}
	s.readings = append(s.readings, r)
	for _, x := range shares {
		r.At = r.At.Add(time.Second)
		r.CPUs.Busy += uint64(x * 2e9)
		s.readings = append(s.readings, r)
	}
	return s
}

func TestTrainedMeter(t *testing.T) {
	source := busyFor(0, 1, 0.5, 0.5)
	source.fail[3] = true
	m := &trained{model: linearModel(t), source: source, cpus: []energy.CPU{0, 1}, command: "sort"}
	if z := m.Zones()[0]; z.Idle != 10 || z.Source != energy.Trained {
		t.Errorf("zone %+v", z)
	}
	var sum units.Energy
	for i, want := range []float64{0, 10, 40, 40, 25} { // the fourth keeps the power of the third
		got := m.Cut(units.Instant(1 + i*1e9))[0]
		if math.Abs(float64(got)/1e9-want) > 1e-6 {
			t.Errorf("cut %d: %v, want %v J", i, got, want)
		}
		sum += got
	}
	r := report.Report{Power: &report.Power{Taken: wattmeter.Trained}}
	if err := m.Finish(context.Background(), &r); err != nil {
		t.Fatal(err)
	}
	p := r.Power.Trained
	if p.MostOutside != "" || p.EnergyNJ != int64(sum) || p.Windows != 4 ||
		p.OutsideWindows != 1 || !p.SawProgram ||
		len(r.Warnings) != 1 {
		t.Errorf("%+v, warnings %q", p, r.Warnings)
	}
}

// TestTrainedConserves: what a ledger books of a trained model's energy is what the model says,
// after every window, for every rule.
func TestTrainedConserves(t *testing.T) {
	r := rand.New(rand.NewPCG(devtest.Seed(t), 1))
	shares := make([]float64, 200)
	for i := range shares {
		shares[i] = r.Float64()
	}
	m := &trained{model: linearModel(t), source: busyFor(shares...), cpus: []energy.CPU{0, 1}}
	for _, name := range energy.RuleNames {
		m.source.(*script).n, m.begun = 0, false
		rule, err := energy.NewRule(name, energy.RuleConfig{
			Power: func(units.Frequency) float64 { return 1 }})
		if err != nil {
			t.Fatal(err)
		}
		l := energy.New(m.Zones(), rule, 10*time.Millisecond)
		m.Cut(1)
		var sum units.Energy
		for i := range shares {
			w := energy.Window{From: units.Instant(1 + i*1e9), To: units.Instant(1 + (i+1)*1e9)}
			w.Used = m.Cut(w.To)
			sum += w.Used[0]
			w.Runs = []energy.Run{{Thread: 5, CPU: 0,
				Alone: time.Duration(shares[i] * float64(time.Second))}}
			w.Others = []energy.Other{{CPU: 1, Time: time.Duration(r.IntN(1e9))}}
			if err := errors.Join(l.Book(&w), l.Check()); err != nil {
				t.Fatal(err)
			}
			if got := l.Totals()[0].Measured; got != sum {
				t.Fatalf("rule %s, window %d: booked %v of %v", name, i, got, sum)
			}
		}
	}
}

func TestModelOfAnotherMachine(t *testing.T) {
	m := linearModel(t)
	if err := meetMachine(m, "A", 2, false, false); err != nil {
		t.Error(err)
	}
	for _, cpus := range []int{1, 4} {
		if err := meetMachine(m, "A", cpus, false, false); !errors.Is(err, errOtherMachine) ||
			!strings.Contains(err.Error(), "63") {
			t.Errorf("%d CPUs: %v", cpus, err)
		}
	}
	if err := meetMachine(m, "B", 2, false, false); !errors.Is(err, errOtherMachine) {
		t.Errorf("another processor: %v", err)
	}
	if err := meetMachine(m, "B", 4, false, true); err != nil {
		t.Errorf("asked for: %v", err)
	}
	if usable(m, activity.Names(2), false) != m {
		t.Error("its input is missing")
	}
}

// TestMostlyOutside: a model that was mostly outside its trained range gives way to the next rung.
func TestMostlyOutside(t *testing.T) {
	f := wattmeter.Facts{Model: "m", TDP: 65, CPUs: 2}
	r := report.Report{Power: &report.Power{Ladder: wattmeter.Rungs(&f),
		Taken: wattmeter.Trained}}
	r.TrainedPower(&report.TrainedPower{Windows: 10, OutsideWindows: 5})
	if r.Power.Taken != wattmeter.Trained || len(r.Warnings) > 0 {
		t.Errorf("half outside: %s", r.Power.Taken)
	}
	r.TrainedPower(&report.TrainedPower{Windows: 10, OutsideWindows: 6})
	if r.Power.Taken != wattmeter.TDP || len(r.Warnings) != 1 {
		t.Errorf("most outside: %s, %q", r.Power.Taken, r.Warnings)
	}
	r.Power.Bound(2 * time.Second)
	if *r.Power.LowNJ != 0 || *r.Power.HighNJ != 130e9 {
		t.Errorf("%d to %d nJ", *r.Power.LowNJ, *r.Power.HighNJ)
	}
	var b bytes.Buffer
	r.WriteSummary(&b)
	if !strings.Contains(b.String(), "0 J to 130 J") {
		t.Error(b.String())
	}
}
