package profile

import "testing"

// TestRecursiveTotal: where a recursive function is in no sample, its total is not known, and not
// the sum of invocations that lie within each other.
func TestRecursiveTotal(t *testing.T) {
	for _, x := range []struct {
		f    Function
		want string
	}{
		{Function{Recursive: true}, "-"}, {Function{Recursive: true, TotalNJ: 2e9}, "2 J"},
		{Function{}, "0 J"},
	} {
		if got := x.f.Total(Amounts{}, "-"); got != x.want {
			t.Errorf("%+v: %q, want %q", x.f, got, x.want)
		}
	}
	f := Functions{List: []Function{{Recursive: true, Calls: 1e6, CPUNS: 1e6, TotalNJ: 5},
		{Calls: 3, CPUNS: 1e6}}}
	f.byTime()
	if f.List[0].TotalNJ != 0 || f.List[1].TotalNJ != 3e6 {
		t.Errorf("by time: %+v", f.List)
	}
}
