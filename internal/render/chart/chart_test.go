package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

var nan = math.NaN()

var samples = map[string]Figure{
	"bars": Bars{
		Title: "Energy saved", Desc: "Two controllers on three programs", Groups: []string{"xalan",
			"a long name & more", "mean"},
		Sections: []Section{{"memory", 0}, {"means", 2}}, Y: Axis{Label: "energy saved",
			Unit: "%"}, Reference: "paper",
		Series: []Series{
			{Name: "ebb", Values: []float64{13.25, -2, nan}, Low: []float64{12, nan, nan},
				High: []float64{14.5, nan, nan}, Reference: []float64{13, nan, 12}},
			{Name: "as <printed>", Values: []float64{12, 0.01, 11}, Colour: 4},
		},
		Levels: []Level{{"budget", 5}},
	},
	"lines": Lines{
		Title: "Errors", X: Axis{Label: "threads"}, Y: Axis{Label: "error", Unit: "%",
			Zero: true}, Reference: "paper",
		Lines: []Line{
			{Name: "1 to 4 GHz", X: []float64{1, 2, 4, 8}, Y: []float64{5, nan, 7, 8},
				Reference: []float64{5.4, nan, nan, 10}, Low: []float64{4, nan, 6, 7},
				High: []float64{6, nan, 8, 9}},
			{Name: "4 to 1 GHz", X: []float64{1, 2, 4, 8}, Y: []float64{3, 4, 5, 6}},
		},
	},
	"steps": Lines{
		Title: "Frequency", X: Axis{Label: "time", Unit: "ms"}, Y: Axis{Label: "frequency",
			Unit: "GHz", Min: 1, Max: 4},
		Lines: []Line{{Name: "xalan", X: []float64{0, 5, 10, 15}, Y: []float64{4, 3.5, 1, 1},
			Step: true}},
	},
	"boxes": Boxes{
		Title: "Slowdown over seeds", Groups: []string{"xalan", "none"}, Y: Axis{Label: "slowdown",
			Unit: "%"},
		Series: []Distribution{{Name: "ebb",
			Values: [][]float64{{4, 5, 4.5, nan, 3}, nil}},
			{Name: "few", Values: [][]float64{{4.2}, {5.5, 3}}}}, Levels: []Level{{"budget", 5}},
	},
	"stacks": Stacks{
		Title: "Cores at each frequency", X: Axis{Label: "time",
			Unit: "s"}, Y: Axis{Label: "share of cores", Unit: "%", Min: 0, Max: 100}, Step: 0.5,
		Layers: []Layer{{"1 to 2 GHz", []float64{100, 50, 0}},
			{"2 to <3 GHz", []float64{0, 25, nan}}, {"more", []float64{0, 25, 100}}},
	},
	"violins": Violins{
		Title: "Parts", X: Axis{Label: "part", Unit: "W"},
		Names:  []string{"busy time", "none", "one"},
		Values: [][]float64{{-2, 0, 0.5, 1, 1, 1.5, nan, 8}, nil, {3}},
	},
	"cloud": Cloud{
		Title: "Part by input", X: Axis{Label: "gc"}, Y: Axis{Label: "part", Unit: "W"},
		Warmth: Axis{Unit: "W"}, Points: []Warm{{"xalan & co", 1, 2, 100, 0}, {"h2", 2, 3, 150, 1},
			{"h2", nan, 3, 150, 2}, {"h2", 4, -1, 90, -1}},
	},
	"tree": Tree{
		Title: "One tree", Nodes: []TreeNode{{"gc < 3", "200 intervals", 1}, {"-1 W", "", 0},
			{"a&b < 0.5", "", 3}, {"2 W", "", 0}, {"<3> W", "", 0}},
	},
	"ranks": Ranks{
		Title: "Most energy, by method", X: Axis{Label: "share", Unit: "%"},
		Names: []string{"a.b.Short.run & more",
			"org.example.of.a.long.package.name.With.a.longer.Name.method<T>", "none"},
		Series: []Series{{Name: "energy", Values: []float64{40, 12.5, nan},
			Low: []float64{35, 12.5, nan}, High: []float64{45, 12.5, nan}},
			{Name: "CPU time", Values: []float64{38, 0, nan}}},
	},
	"parts": Parts{
		Title: "The threads' time", Desc: "of 4 s", Width: 500, Parts: []Part{
			{Name: "running", Value: 2.4, Amount: "2.4 s"},
			{Name: "none", Value: 0, Amount: "0 s"},
			{Name: "waiting <long>", Value: 0.2, Amount: "0.2 s"},
			{Name: "waiting for the world", Value: 1.4, Amount: "1.4 s", Colour: 7}},
	},
	"spreads": Spreads{
		Title: "Energy of an invocation", Label: "energy",
		Text: func(v float64) string { return number(v) + " mJ" },
		Rows: []Spread{
			{"answer & more", 40, 30, 52, []Bin{{8, 10, 300}, {10, 12, 90}, {500, 600, 20},
				{0, 0, 3}}},
			{"once", 3, nan, nan, []Bin{{2.5, 3.2, 1}}},
			{"nothing", 0, nan, nan, []Bin{{0, 0, 2}}},
		},
	},
	"rows": Rows{
		Names: []string{"bfs", "streambw"}, X: Axis{Label: "error", Unit: "%", Min: -50,
			Max: 50}, Signed: true,
		Series: []Series{{Name: "wake", Values: []float64{1, 70}},
			{Name: "dep", Values: []float64{-60, 55}}},
	},
}

// standalone is a figure as a file of its own, for a person to see.
func standalone(f Figure) []byte {
	head, rest, _ := strings.Cut(f.SVG(), ">")
	head = strings.Replace(head, "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `, 1)
	return []byte(head + "><style>\n" + css + "</style>" + rest + "\n")
}

// TestGolden compares the figures with testdata. Look at a figure before you commit another.
func TestGolden(t *testing.T) {
	for name, f := range samples {
		got := standalone(f)
		if runtime.GOARCH == "amd64" { // elsewhere the last digit can be another
			devtest.Golden(t, filepath.Join("testdata", name+".svg"), got)
		}
		if again := standalone(f); string(again) != string(got) {
			t.Errorf("%s: other bytes the second time", name)
		}
	}
}

// TestWellFormed: a figure is XML, names in it are escaped, and no number in it is NaN or infinite.
func TestWellFormed(t *testing.T) {
	for name, f := range samples {
		d := xml.NewDecoder(strings.NewReader(string(standalone(f))))
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			s, ok := tok.(xml.StartElement)
			if !ok {
				continue
			}
			for _, a := range s.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s: <%s %s=%q>", name, s.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

// TestEmpty: figures of nothing are figures.
func TestEmpty(t *testing.T) {
	for _, f := range []Figure{Bars{}, Lines{}, Boxes{}, Rows{}, Violins{}, Cloud{}, Tree{},
		Spreads{}, Spreads{Rows: []Spread{{}}}, Parts{}, Parts{Parts: []Part{{Value: -1}, {}}},
		Bars{Groups: []string{"a"}, Series: []Series{{}}},
		Lines{Lines: []Line{{X: []float64{1}}}}} {
		if s := f.SVG(); !strings.HasSuffix(s, "</svg>") || strings.Contains(s, "NaN") ||
			strings.Contains(s, "Inf") {
			t.Errorf("%T: %s", f, s)
		}
	}
}

func TestScale(t *testing.T) {
	for _, tc := range []struct {
		axis   Axis
		extent extent
		lo, hi float64
		ticks  string
	}{
		{Axis{}, extent{0, 13.2}, 0, 15, "0 5 10 15"},
		{Axis{}, extent{-3, 13.2}, -5, 15, "−5 0 5 10 15"},
		{Axis{Zero: true}, extent{2, 4}, 0, 4, "0 1 2 3 4"},
		{Axis{}, extent{0.1, 0.42}, 0.1, 0.5, "0.1 0.2 0.3 0.4 0.5"},
		{Axis{Min: 1, Max: 4}, extent{0, 100}, 1, 4, "1 2 3 4"},
		{Axis{}, nothing(), 0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{Axis{}, extent{7, 7}, 7, 8, "7.0 7.2 7.4 7.6 7.8 8.0"},
	} {
		s := newScale(tc.axis, tc.extent, 0, 100, 5)
		var got []string
		for _, v := range s.ticks() {
			got = append(got, s.tick(v))
		}
		if g := strings.Join(got, " "); math.Abs(s.lo-tc.lo) > 1e-9 ||
			math.Abs(s.hi-tc.hi) > 1e-9 || g != tc.ticks {
			t.Errorf("%+v of %v: %v to %v, %s; want %v to %v, %s", tc.axis, tc.extent, s.lo, s.hi,
				g, tc.lo, tc.hi, tc.ticks)
		}
		if s.at(s.lo) != 0 || s.at(s.hi) != 100 || s.at(s.hi+1e9) != 100 || s.at(s.lo-1e9) != 0 {
			t.Errorf("%+v of %v: ends at %v and %v", tc.axis, tc.extent, s.at(s.lo), s.at(s.hi))
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", -0.0001: "0", 0.0234: "0.023", -1.234: "−1.23",
		13.25: "13.2", 1234.5: "1234", -0.004: "−0.004"} {
		if got := number(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

func TestQuantile(t *testing.T) {
	for _, tc := range []struct {
		v    []float64
		q, w float64
	}{{[]float64{1, 2, 3, 4}, 0.5, 2.5}, {[]float64{1, 2, 3, 4}, 0, 1},
		{[]float64{1, 2, 3, 4}, 1, 4}, {[]float64{7}, 0.25, 7}, {[]float64{0, 10}, 0.25, 2.5}} {
		if got := quantile(tc.v, tc.q); got != tc.w {
			t.Errorf("%v-quantile of %v: %v, want %v", tc.q, tc.v, got, tc.w)
		}
	}
	if !math.IsNaN(quantile(nil, 0.5)) {
		t.Error("the median of nothing is a number")
	}
}

// TestScaleOfAnything: whatever the numbers are, a scale has ticks, and few of them.
func TestScaleOfAnything(t *testing.T) {
	big, inf := math.MaxFloat64, math.Inf(1)
	for _, values := range [][]float64{{}, {1e18}, {-1e18, -1e18}, {big, -big}, {inf, 1},
		{1e300, -1e300}, {5e-324}, {0, 5e-324}, {1e18, math.Nextafter(1e18, inf)}, {math.NaN()}} {
		for _, zero := range []bool{false, true} {
			e := nothing()
			e.add(values...)
			s := newScale(Axis{Zero: zero}, e, 0, 100, 5)
			if n := len(s.ticks()); n == 0 || n > 20 {
				t.Errorf("%v: %d ticks of %+v", values, n, s)
			}
		}
	}
}
