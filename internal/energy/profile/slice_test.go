package profile

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// search is Figure 12's example with numbers made by hand: h2's Page.binarySearch is called by
// MVMap.binarySearch, which calls itself, and by CursorPos.traverse; it calls a comparison of the
// application's and one of the library's.
func search() *Profile {
	const page, compare, integer, mvmap, main, cursor, boot = 0, 1, 2, 3, 4, 5, 6
	p := &Profile{RateHz: 99, WallNS: 1e9, Rules: []string{"ledger"},
		Threads: []Thread{{TID: 7, PID: 7, Comm: "java", Phase: Application}}}
	for _, name := range []string{"org.h2.mvstore.Page.binarySearch",
		"org.h2.value.DataType.compare", "java.lang.Integer.compare",
		"org.h2.mvstore.MVMap.binarySearch", "org.h2.Main.main",
		"org.h2.mvstore.CursorPos.traverse", "org.h2.cache.Page.binarySearch"} {
		p.Frames = append(p.Frames, Frame{Name: name, Kind: "jit"})
	}
	for _, s := range []struct {
		energy int64
		frames []int
	}{
		{40, []int{page, mvmap, mvmap, main}},
		{20, []int{integer, page, mvmap, mvmap, main}},
		{15, []int{compare, page, mvmap, main}},
		{15, []int{page, cursor, main}},
		{10, []int{page, page, main}}, // recursion of the method itself
		{100, []int{main}},
		{8, []int{boot, main}},
	} {
		p.Stacks = append(p.Stacks, Stack{Frames: s.frames, Samples: 1, CPUNS: s.energy,
			EnergyNJ: []int64{s.energy}, ByZone: []int64{}, Squares: float64(s.energy * s.energy)})
	}
	return p
}

func TestSlice(t *testing.T) {
	p := search()
	s, part, err := p.Slice("mvstore.Page.binarySearch", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if s.Method != "org.h2.mvstore.Page.binarySearch" || s.Energy != 100 || s.Own != 85 ||
		len(part.Stacks) != 5 || len(p.Stacks) != 7 {
		t.Errorf("%+v, %d stacks", s, len(part.Stacks))
	}
	got := map[string]int64{}
	for _, r := range s.Rows() {
		got[r.Unit] = r.Energy
	}
	want := map[string]int64{
		"called by org.h2.mvstore.MVMap.binarySearch < org.h2.mvstore.MVMap.binarySearch": 60,
		"called by org.h2.mvstore.MVMap.binarySearch < org.h2.Main.main":                  15,
		"called by org.h2.mvstore.CursorPos.traverse < org.h2.Main.main":                  15,
		"called by org.h2.mvstore.Page.binarySearch < org.h2.Main.main":                   10,
		"calls [itself]":                      85,
		"calls org.h2.value.DataType.compare": 15,
	}
	for unit, e := range want {
		if got[unit] != e {
			t.Errorf("%s: %d nJ, want %d", unit, got[unit], e)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
	var b bytes.Buffer
	if err := s.WriteText(&b, part, 0, 2, printable.All); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"100.00 nJ with all that it called, 48.1% of what the rule ledger",
		"85.00 nJ its own", "(2 more)", "[itself]"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

func TestSliceRefuses(t *testing.T) {
	for method, want := range map[string]string{
		"Page.binarySearch": "the end of 2 methods' names", "": "without a name",
		"nowhere": "no method", "earch": "no method", "java.lang.Integer.compare": "no method",
	} {
		if _, _, err := search().Slice(method, nil, 0); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", method, err, want)
		}
	}
	unsampled := search()
	unsampled.RateHz, unsampled.Stacks = 0, nil
	if _, _, err := unsampled.Slice("Main.main", nil, 0); err == nil {
		t.Error("a slice of a run without samples")
	}
}

// TestCallSites: cfa1 and cfa2 are a method with one and two callers; recursion is shown, where
// view context shows one step.
func TestCallSites(t *testing.T) {
	const short = "org.h2.mvstore.Page.binarySearch < org.h2.mvstore.MVMap.binarySearch"
	for by, want := range map[string]map[string]int64{
		"cfa1": {short: 60, "org.h2.Main.main": 100},
		"cfa2": {short + " < org.h2.mvstore.MVMap.binarySearch": 60, "org.h2.Main.main": 100,
			"org.h2.mvstore.Page.binarySearch < org.h2.mvstore.Page.binarySearch < " +
				"org.h2.Main.main": 10},
		"cfa3": {short + " < org.h2.mvstore.MVMap.binarySearch < org.h2.Main.main": 60},
	} {
		p := search()
		v, err := NewView(p, by, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows := p.Rows(v, 0)
		for unit, e := range want {
			found := false
			for _, r := range rows {
				found = found || r.Unit == unit && r.Energy == e
			}
			if !found {
				t.Errorf("%s: no %s with %d nJ in %+v", by, unit, e, rows)
			}
		}
	}
	for _, by := range []string{"cfa0", "cfa", "cfa65", "cfa-1", "cfa01", "cfa+1", "caller"} {
		if _, err := NewView(search(), by, nil); err == nil {
			t.Errorf("a view by %s", by)
		}
	}
}
