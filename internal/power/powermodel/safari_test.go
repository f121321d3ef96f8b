package powermodel

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// fiveInputs returns a table of a machine whose power is a line over SAFARI's five inputs, one of
// which lowers it.
func fiveInputs(r *rand.Rand) *Table {
	t := &Table{Inputs: []string{"cpu_user", "cpu_system", "LLC-load-misses", "LLC-loads",
		"contexts", "instructions", "cpu-cycles", "clock_ghz", "bytes_in"}}
	t.Columns = make([][]float64, len(t.Inputs))
	for p := range 6 {
		t.Programs = append(t.Programs, string(rune('a'+p)))
		for range 60 {
			user, system := 80*r.Float64(), 10*r.Float64()
			loads, cycles := 1e6*(1+r.Float64()), 1e9*(1+r.Float64())
			misses, ipc, clock := r.Float64(), 2*r.Float64(), 1+2*r.Float64()
			contexts := 1000 * r.Float64()
			power := 50 + (user + system) + 20*misses + contexts/100 - 10*ipc + 5*clock
			for k, x := range []float64{user, system, misses * loads, loads, contexts,
				ipc * cycles, cycles, clock, r.Float64()} {
				t.Columns[k] = append(t.Columns[k], x)
			}
			t.Power, t.Program = append(t.Power, power), append(t.Program, p)
		}
	}
	return t
}

// TestSafari checks that SAFARI's line finds the coefficients of a machine that is one, from the
// five inputs alone.
func TestSafari(t *testing.T) {
	table := fiveInputs(rand.New(rand.NewPCG(14, 0)))
	m, err := Train(table, safari, Provenance{})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Inputs) != 8 || len(m.parts()) != 5 {
		t.Fatalf("inputs %v, parts %v", m.Inputs, m.parts())
	}
	again := writtenAndRead(t, m)
	values := make([]float64, 8)
	for r := range table.Power {
		table.only([]int{0, 1, 2, 3, 4, 5, 6, 7}).row(r, values)
		p := m.Predict(values)
		if q := again.Predict(values); p != q {
			t.Fatalf("%+v, read again %+v", p, q)
		}
		// the ends of the trained ranges are clipped
		if math.Abs(p.Power-table.Power[r]) > 1 {
			t.Fatalf("row %d: %v W, measured %v W", r, p.Power, table.Power[r])
		}
		if e := m.explain(values); math.Abs(e.Power-p.Power) > 1e-6 {
			t.Fatalf("the parts sum up to %v W of %v W", e.Power, p.Power)
		}
	}
	values[6] = 0 // no cycles
	if p := m.Predict(values); math.IsNaN(p.Power) {
		t.Errorf("without cycles: %+v", p)
	}
}

// TestSafariWithFewColumns checks that inputs that the table lacks are left out, but not the busy
// time.
func TestSafariWithFewColumns(t *testing.T) {
	table := fiveInputs(rand.New(rand.NewPCG(15, 0)))
	m, err := Train(table.only([]int{0, 1, 4, 8}), safari, Provenance{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(m.parts(), ", "); got != "utilisation, context switches" {
		t.Errorf("parts %s", got)
	}
	for _, try := range []func(*Table) error{
		func(t *Table) error { _, err := Train(t, safari, Provenance{}); return err },
		func(t *Table) error { _, err := Crossvalidate(t, safari, nil); return err },
	} {
		err := try(table.only([]int{4, 8}))
		if err == nil || !strings.Contains(err.Error(), "busy time") {
			t.Errorf("without busy time: %v", err)
		}
	}
}
