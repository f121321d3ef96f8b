package eval

import (
	"math"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

func TestSpread(t *testing.T) {
	if s := newSpread([]float64{3, 1, 2}); s != (spread{2, 1, 3}) {
		t.Errorf("%+v", s)
	}
	if s := newSpread(nil); !math.IsNaN(s.mean) || !math.IsNaN(s.lo) || !math.IsNaN(s.hi) {
		t.Errorf("of nothing: %+v", s)
	}
}

func TestSheet(t *testing.T) {
	b := newSheet("7")
	c := column{"ebb", none}
	for i, w := range names(every) {
		b.add(w, c.series, c.x, spread{float64(i), float64(i) - 1, float64(i) + 1}, percent, none)
	}
	b.means(c, percent, 1, 2, none)
	b.most(maxMemory, names(memoryBound), c, percent, none)
	for w, want := range map[string]float64{"xalan": 0, "sunflow": 6, Mean: 3, meanMemory: 1.5,
		meanCompute: 5, maxMemory: 3} {
		if got := b.value(w, c, percent); got != want {
			t.Errorf("%s: %v, want %v", w, got, want)
		}
	}
	if !math.IsNaN(b.value("xalan", column{"ebb", 5}, percent)) ||
		!math.IsNaN(b.value("xalan", c, "GHz")) {
		t.Error("a row that there is not has a value")
	}
	f := b.bars("t", "d", chart.Axis{Unit: percent}, withMeans(), []bar{{c, "ebb", 1}})
	if s := f.Series[0]; s.Values[1] != 1 || s.Low[1] != 0 || s.High[1] != 2 ||
		s.Reference[7] != 2 || !math.IsNaN(s.Low[7]) || !math.IsNaN(s.Reference[0]) {
		t.Errorf("%+v", s)
	}
	if want := []chart.Section{{Name: "memory-intensive"}, {Name: "compute-intensive", From: 4},
		{Name: "over workloads", From: 7}}; !slices.Equal(f.Sections, want) {
		t.Errorf("%v", f.Sections)
	}
}

func TestTable(t *testing.T) {
	rows := []Row{
		{"7", "xalan", "ebb", 5, -1.234, percent, none}, {"7", "xalan", "ebb", 10, 2, percent, 3},
		{"7", "pmd", "ebb", 10, 123.456, percent, none},
		{"7", "pmd", "ideal", none, none, percent, none},
	}
	tab := newTable(rows)
	if want := []string{"", "ebb @ 5", "ebb @ 10", "ideal"}; !slices.Equal(tab.Head, want) {
		t.Errorf("%q", tab.Head)
	}
	want := [][]tableCell{{{Text: "xalan"}, {Text: "−1.23"}, {"2.00", "3.00"}, {}},
		{{Text: "pmd"}, {}, {Text: "123.5"}, {Text: "–"}}}
	for i := range want {
		if !slices.Equal(tab.Rows[i], want[i]) {
			t.Errorf("%+v, want %+v", tab.Rows[i], want[i])
		}
	}
	var course []Row
	for i := range 100 {
		course = append(course, Row{"8", "xalan", "ebb", float64(i), 4, "GHz", none})
	}
	if tab := newTable(course); len(tab.Rows) != 0 {
		t.Errorf("a course over time has a table of %d rows", len(tab.Rows))
	}
}

// TestCriteriaAreDecidedByTheirNumbers: the number that decides a criterion decides whether it is
// met; without its figure it is left out.
func TestCriteriaAreDecidedByTheirNumbers(t *testing.T) {
	if c := criteria(nil); len(c) != 0 {
		t.Errorf("of no rows: %+v", c)
	}
	slow := func(avrora float64) (rows []Row) {
		for _, w := range names(every) {
			v := 4.8
			if w == "avrora" {
				v = avrora
			}
			rows = append(rows, Row{"7", w, "ebb, slowdown", 5, v, percent, none})
		}
		return append(rows, Row{"7", meanMemory, "ebb, energy saved", 5, 13, percent, none})
	}
	for _, tc := range []struct {
		avrora   float64
		met      []bool
		found    string
		workload string
	}{{5.3, []bool{true, true, true}, "at most 5.30 %", "avrora is slowest (Figure 7)"},
		{5.31, []bool{true, false, true}, "at most 5.31 %", "avrora is slowest (Figure 7)"}} {
		c := criteria(slow(tc.avrora))
		if len(c) != 3 {
			t.Fatalf("%+v", c)
		}
		for i := range c {
			if c[i].Met != tc.met[i] {
				t.Errorf("%+v: met %v", c[i], c[i].Met)
			}
		}
		if c[1].Found != tc.found || c[1].Where != tc.workload {
			t.Errorf("%+v", c[1])
		}
	}
}

// TestStaticBestIsTheLeastEnergyWithinTheBudget: the result is the state of least energy within the
// budget, as a search of all states finds it.
func TestStaticBestIsTheLeastEnergyWithinTheBudget(t *testing.T) {
	s := &study{settings: Settings{Seed: 1}}
	s.cache = newCache(fake)
	x := s.first(on("xalan", control{}))
	if err := s.cache.prepare(t.Context(), append(statics(x), highest(x)), func() {}); err != nil {
		t.Fatal(err)
	}
	top := s.of(highest(x))
	for _, budget := range []float64{0, 0.05, 0.3, 10} {
		best := s.staticBest(x, ratio(int(budget*100)), false)
		for _, y := range statics(x) {
			r := s.of(y)
			if float64(r.Wall) <= float64(top.Wall)*(1+budget) && r.Processor < best.Processor {
				t.Errorf("budget %v: %v takes %v, chosen was one of %v", budget,
					y.Control.Frequency, r.Processor, best.Processor)
			}
		}
		if float64(best.Wall) > float64(top.Wall)*(1+budget) {
			t.Errorf("budget %v: slowed by %v", budget, best.slowdown(top))
		}
	}
}
