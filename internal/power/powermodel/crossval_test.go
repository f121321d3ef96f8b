package powermodel

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestHeldOutErrorShowsWhatInputsDoNot: a difference between programs that no input shows is in the
// error of a held-out program, and in its interval, but not in the error of shuffled rows.
func TestHeldOutErrorShowsWhatInputsDoNot(t *testing.T) {
	table := machine(rand.New(rand.NewPCG(5, 0)), 10, 100, 25)
	calls := 0
	v, err := Crossvalidate(table, XGBoost, func(done, all int) {
		if calls++; done != calls || all != 10+45+2 {
			t.Errorf("model %d of %d after %d", done, all, calls)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	leftOut, interval := 0.0, 0.0
	for _, p := range v.Programs {
		leftOut += math.Abs(p.LeftOut) / 10
		interval += p.Interval / 10
		if p.Rows != 100 || math.Abs(p.AboveIdle) < math.Abs(p.LeftOut) {
			t.Errorf("%+v", p)
		}
	}
	if calls != 57 || leftOut < 0.01 || leftOut > 0.15 || interval < leftOut ||
		v.Shuffled > leftOut/5 {
		t.Errorf("left out %.4f, by interval %.4f, shuffled %.4f", leftOut, interval, v.Shuffled)
	}
	if v.Held < 0.7 {
		t.Errorf("%.2f of the intervals hold", v.Held)
	}
}

// TestSignShowsTheDirectionOfTheError checks that a program that draws nothing like the others is
// missed, and that the sign says in which direction.
func TestSignShowsTheDirectionOfTheError(t *testing.T) {
	table := machine(rand.New(rand.NewPCG(6, 0)), 6, 100, 0)
	for r, p := range table.Program {
		if p == 2 {
			table.Power[r] *= 1.5
		}
	}
	v, err := Crossvalidate(table, Ridge, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e := v.Programs[2].LeftOut; e > -0.25 || e < -0.45 {
		t.Errorf("a program that draws half as much again: %.3f", e)
	}
	if p := v.Programs[2]; p.Held > 0.1 {
		t.Errorf("%.2f of it lies in intervals that others gave", p.Held)
	}
}

func TestTooLittle(t *testing.T) {
	for want, table := range map[string]*Table{
		"4 programs":       machine(rand.New(rand.NewPCG(7, 0)), 4, 50, 0),
		"0 of 11 programs": machine(rand.New(rand.NewPCG(7, 0)), 11, 10, 0),
	} {
		if _, err := Crossvalidate(table, Ridge, nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestIdleProgram checks that the error above idle of a program that draws idle power is unknown,
// and not infinite.
func TestIdleProgram(t *testing.T) {
	table := machine(rand.New(rand.NewPCG(9, 0)), 6, 100, 0)
	for r, p := range table.Program {
		if p == 3 {
			table.Power[r] = 100
			table.Columns[0][r], table.Columns[1][r] = 0, 0
		} else {
			table.Power[r] = max(table.Power[r], 101)
		}
	}
	v, err := Crossvalidate(table, Ridge, nil)
	if err != nil {
		t.Fatal(err)
	}
	for p, e := range v.Programs {
		if math.IsNaN(e.AboveIdle) != (p == 3) || math.IsInf(e.AboveIdle, 0) {
			t.Errorf("program %d: %v above idle", p, e.AboveIdle)
		}
	}
}

func TestThin(t *testing.T) {
	table := machine(rand.New(rand.NewPCG(8, 0)), 2, 2*maxTrained+500, 0)
	n := make([]int, 2)
	for _, r := range thin(table, all(table)) {
		n[table.Program[r]]++
	}
	if n[0] != maxTrained || n[1] != maxTrained {
		t.Errorf("%v rows are left", n)
	}
}

// TestSameMinimum checks that Train and Crossvalidate refuse the same tables, in a sentence, and
// that a table with too few programs has a model of unknown error.
func TestSameMinimum(t *testing.T) {
	still := machine(rand.New(rand.NewPCG(7, 0)), 6, 50, 0)
	for r := range still.Power {
		still.Power[r] = 100
	}
	for want, table := range map[string]*Table{
		"the power is 100 W in every interval": still,
		"99 intervals":                         machine(rand.New(rand.NewPCG(7, 0)), 3, 33, 0),
	} {
		_, err := Train(table, Ridge, Provenance{})
		_, crossed := Crossvalidate(table, Ridge, nil)
		if err == nil || crossed == nil || err.Error() != crossed.Error() ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v, want %q", err, crossed, want)
		}
	}
	for _, programs := range []int{1, 4, 5} {
		table := machine(rand.New(rand.NewPCG(7, 0)), programs, 100, 0)
		m, err := Train(table, Ridge, Provenance{})
		if err != nil || (m.Interval == nil) != (table.Enough() != nil) ||
			(programs < 5) != (m.Interval == nil) {
			t.Errorf("%d programs: %v", programs, err)
		}
	}
}

// TestShortProgram: one program with too few intervals to be judged, as where a meter was lost for
// a while, does not keep the others from being left out. It is trained on.
func TestShortProgram(t *testing.T) {
	table := machine(rand.New(rand.NewPCG(7, 1)), 7, 100, 0)
	long := table.of(func(p int) bool { return p == 3 })[minProgramRows-1:]
	short := &Table{Inputs: table.Inputs, Programs: table.Programs,
		Columns: make([][]float64, len(table.Columns))}
	for r := range table.Rows() {
		if slices.Contains(long, r) {
			continue
		}
		for i, c := range table.Columns {
			short.Columns[i] = append(short.Columns[i], c[r])
		}
		short.Power = append(short.Power, table.Power[r])
		short.Program = append(short.Program, table.Program[r])
	}
	m, err := Train(short, Ridge, Provenance{})
	if err != nil || m.Interval == nil || len(m.Programs) != 6 ||
		len(m.Provenance.Programs) != 7 {
		t.Fatalf("%v: %+v", err, m)
	}
	v, err := Crossvalidate(short, Ridge, nil)
	if err != nil || len(v.Programs) != 6 || !(v.Held > 0 && v.Held <= 1) {
		t.Fatalf("%v: %+v", err, v)
	}
	for i := range v.Programs {
		if e := &v.Programs[i]; e.Program == short.Programs[3] || e.Rows != 100 ||
			e.LeftOut != m.Programs[i].Total {
			t.Errorf("%+v, and the model says %+v", e, m.Programs[i])
		}
	}
	if _, err := Ablate(short, Ridge, []int{0, 1}, nil); err != nil {
		t.Error(err)
	}
}

func TestOrigin(t *testing.T) {
	for want, p := range map[string]Provenance{
		"trained; its error is unknown": {},
		"trained 2026-11-22 on 1 CPU of X, 2 programs, beside rapl; its error is unknown": {
			CPUModel: "X", CPUs: 1, Date: "2026-11-22", Meter: "rapl",
			Programs: []string{"a", "b"}},
	} {
		if got := p.Origin(nil); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	want := "trained; 90 % intervals of +-12 % on average"
	if got := (&Provenance{}).Origin(&Interval{HalfWidth: 0.123}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMilliwatts(t *testing.T) {
	_, err := ReadCSV(strings.NewReader("w,p,cpu_user\n113000,a,1\n"), "w", "p", Kernel)
	if err == nil || !strings.Contains(err.Error(), "milliwatts") {
		t.Errorf("%v", err)
	}
}
