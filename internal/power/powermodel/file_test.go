package powermodel

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// trainedModel returns a model of a machine of the tests, and the table that it was trained on.
func trainedModel(t testing.TB, l Learner, programs int) (*Model, *Table) {
	t.Helper()
	table := machine(rand.New(rand.NewPCG(11, 0)), programs, 60, 5)
	m, err := Train(table, l, Provenance{CPUModel: "A", CPUs: 4, Kernel: "6.8", Date: "2026-11-22"})
	if err != nil {
		t.Fatal(err)
	}
	return m, table
}

// TestModelFile checks that a model's predictions are the same after it was written and read, to
// the last bit.
func TestModelFile(t *testing.T) {
	for _, l := range Learners {
		m, table := trainedModel(t, l, 6)
		simpler, _ := trainedModel(t, Ridge, 5)
		m.Simpler = simpler
		var text bytes.Buffer
		if err := m.Write(&text); err != nil {
			t.Fatal(err)
		}
		got, err := ReadModel(bytes.NewReader(text.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", l.Name, err)
		}
		values := make([]float64, 3)
		for r := range table.Power {
			table.row(r, values)
			if a, b := m.Predict(values), got.Predict(values); a != b {
				t.Fatalf("%s: %+v, read again %+v", l.Name, a, b)
			}
		}
		if !reflect.DeepEqual(m.Provenance, got.Provenance) || !reflect.DeepEqual(m.Inputs,
			got.Inputs) || got.Simpler == nil || got.Simpler.Learner != "ridge" {
			t.Errorf("%s: %+v", l.Name, got)
		}
	}
}

func TestPrediction(t *testing.T) {
	m, table := trainedModel(t, Default, 8)
	values := make([]float64, 3)
	table.row(7, values)
	p := m.Predict(values)
	if p.Outside || math.Abs(p.Power-table.Power[7]) > 15 || p.Low >= p.Power ||
		p.High <= p.Power {
		t.Errorf("%+v where %.1f W were measured", p, table.Power[7])
	}
	for _, beyond := range []float64{1e12, -1e12, math.NaN(), math.Inf(1)} {
		values[2] = beyond
		far := m.Predict(values)
		if names := m.Beyond(values); len(names) != 1 || names[0] != m.Inputs[2].Name {
			t.Errorf("%v: outside are %q", beyond, names)
		}
		if !far.Outside || math.IsNaN(far.Power) || (far.High-far.Low)/far.Power <=
			(p.High-p.Low)/p.Power {
			t.Errorf("%v: %+v, inside %+v", beyond, far, p)
		}
	}
}

// TestFewProgramsHaveNoInterval checks that a model of few programs has no interval: nobody knows
// how far it misses the next one.
func TestFewProgramsHaveNoInterval(t *testing.T) {
	m, table := trainedModel(t, Default, 4)
	values := make([]float64, 3)
	table.row(0, values)
	if p := m.Predict(values); m.Interval != nil || !math.IsNaN(p.Low) || !math.IsNaN(p.High) {
		t.Errorf("%+v, interval %+v", p, m.Interval)
	}
	if _, err := Train(machine(rand.New(rand.NewPCG(1, 0)), 5, 19, 0), Default,
		Provenance{}); err == nil || !strings.Contains(err.Error(), "95 intervals") {
		t.Errorf("95 intervals: %v", err)
	}
}

func TestUsable(t *testing.T) {
	m, _ := trainedModel(t, Ridge, 5)
	simple, _ := trainedModel(t, Ridge, 5)
	simple.Inputs = simple.Inputs[:1]
	m.Simpler = simple
	for want, have := range map[*Model]string{m: "cpu_user cpu_system contexts",
		simple: "cpu_user", nil: "contexts"} {
		if got := m.Usable(func(name string) bool {
			return strings.Contains(have, name)
		}); got != want {
			t.Errorf("with %s: %p, want %p", have, got, want)
		}
	}
	if !m.Saw("program 1") || m.Saw("another") {
		t.Error("wrong programs were seen")
	}
}

// edited returns a model file after a change of its JSON.
func edited(t *testing.T, m *Model, edit func(f map[string]any)) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		t.Fatal(err)
	}
	var f map[string]any
	if err := json.Unmarshal(text.Bytes(), &f); err != nil {
		t.Fatal(err)
	}
	edit(f)
	out, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestReadModelRefuses(t *testing.T) {
	m, _ := trainedModel(t, Default, 5)
	part := func(f map[string]any, name string) map[string]any { return f[name].(map[string]any) }
	first := func(f map[string]any) map[string]any {
		return part(f, "trees")["trees"].([]any)[0].(map[string]any)
	}
	tree := func(f map[string]any, list string) []any { return first(f)[list].([]any) }
	for want, edit := range map[string]func(f map[string]any){
		"of a newer ebb: version 2": func(f map[string]any) { f["ebbmodel"] = 2 },
		"not a power model":         func(f map[string]any) { delete(f, "ebbmodel") },
		"neither a line nor trees": func(f map[string]any) {
			delete(f, "line")
			delete(f, "trees")
		},
		"0 inputs": func(f map[string]any) { delete(f, "inputs") },
		"no name of its own": func(f map[string]any) {
			f["inputs"].([]any)[1] = f["inputs"].([]any)[0]
		},
		"has the range": func(f map[string]any) {
			f["inputs"].([]any)[0].(map[string]any)["range"] = []float64{3, 3}
		},
		"weights and":        func(f map[string]any) { part(f, "line")["weights_w"] = []int{1} },
		"a weight of 1e+300": func(f map[string]any) { part(f, "line")["base_w"] = 1e300 },
		"power of 9":         func(f map[string]any) { f["power_w"] = []float64{9, 1} },
		"leads to 0":         func(f map[string]any) { tree(f, "left")[0] = 0 },
		"leads to 9999":      func(f map[string]any) { tree(f, "left")[0] = 9999 },
		"has feature 99 of":  func(f map[string]any) { tree(f, "feature")[0] = 99 },
		"leads to 1": func(f map[string]any) {
			tree(f, "feature")[2], tree(f, "left")[2] = 0, 1
		},
		"tree 0 has": func(f map[string]any) {
			first(f)["split"] = []int{1}
		},
		"has no node -1": func(f map[string]any) {
			first(f)["missing_left"] = []int{-1}
		},
		`trees of "x"`:     func(f map[string]any) { part(f, "trees")["of"] = "x" },
		"an interval of 7": func(f map[string]any) { part(f, "interval")["confidence"] = 7 },
		"more than 5 models": func(f map[string]any) {
			for range 5 {
				inner := map[string]any{}
				for k, v := range f {
					inner[k] = v
				}
				f["simpler"] = inner
			}
		},
		`"learner" is a number`: func(f map[string]any) { f["learner"] = 3 },
		"a name of more": func(f map[string]any) {
			part(f, "provenance")["kernel"] = strings.Repeat("x", 300)
		},
	} {
		_, err := ReadModel(bytes.NewReader(edited(t, m, edit)))
		if err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", want, err)
		}
	}
	for text, want := range map[string]string{
		"": "not a power model", "{}": "not a power model", "[1": "not a power model",
		`{"ebbmodel":1}`:                     "damaged",
		`{"ebbmodel":1,"power_w":[NaN`:       "not a power model",
		`{"ebbmodel":1,"most_busy":1e999}`:   "damaged",
		strings.Repeat(" ", maxModelBytes+1): "more than",
	} {
		if _, err := ReadModel(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// smallModel returns a model with each part that a file can have.
func smallModel() *Model {
	f := &formula{low: 10, high: 500,
		features: &features{columns: []int{0}, low: []float64{2}, high: []float64{80},
			busy: []int{0}, most: 80},
		line: &ridge{100, []float64{1, 2, 3, 4, 5, 6, 7}, make([]float64, 7)},
		forest: &forest{base: 2.5, trees: [][]node{{
			{feature: 1, split: 0.5, left: 1, missingLeft: true, cover: 9},
			{feature: -1, value: -3, cover: 4}, {feature: -1, value: 4, cover: 5},
		}}},
	}
	return &Model{Learner: "residual", Tier: "os", Inputs: []Input{{"cpu_user", 2, 80}},
		Provenance: Provenance{CPUModel: "x", CPUs: 2, Programs: []string{"a"}, Intervals: 120},
		Interval:   &Interval{Confidence: 0.9, Programs: 5, Scale: 0.2, Freedom: 5},
		Programs:   []ProgramError{{"a", 0.1, 0.9}}, formula: f}
}

// FuzzReadModel checks that each file that is read as a model predicts numbers, and is read again
// after it was written.
func FuzzReadModel(f *testing.F) {
	m := smallModel()
	m.Simpler = smallModel()
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	safari, _ := Train(fiveInputs(rand.New(rand.NewPCG(16, 0))), safari, Provenance{})
	var other bytes.Buffer
	if err := safari.Write(&other); err != nil {
		f.Fatal(err)
	}
	f.Add(other.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ReadModel(bytes.NewReader(text))
		if err != nil {
			return
		}
		values := make([]float64, len(m.Inputs))
		for _, x := range []float64{0, 1e300, -1e300, math.NaN(), math.Inf(-1)} {
			for k := range values {
				values[k] = x
			}
			p := m.Predict(values)
			if math.IsNaN(p.Power) || p.Power < 0 || p.Power > maxWatts || p.Low > p.High {
				t.Errorf("%v: %+v", x, p)
			}
		}
		var again bytes.Buffer
		if err := m.Write(&again); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadModel(&again); err != nil {
			t.Error(err)
		}
	})
}
