package attribution

import (
	"fmt"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// TestCoverage: each function counts once, by name and file, and what was called is not listed; of
// many the first are.
func TestCoverage(t *testing.T) {
	c := newCoverage()
	c.called("f", "a.so")
	c.called("main", "a.so")
	for range 2 {
		for _, f := range [][2]string{{"g", "a.so"}, {"f", "b.so"}, {"f", "a.so"}, {"fa", ".so"}} {
			c.instrumented(protocol.Frame{Name: f[0], Module: f[1], Kind: "native"})
		}
	}
	var out profile.Functions
	c.finish(&out)
	want := fmt.Sprint([]profile.Uncalled{{Name: "fa", Module: ".so"}, {Name: "g", Module: "a.so"},
		{Name: "f", Module: "b.so"}})
	if out.Instrumented != 4 || out.Never != 3 || fmt.Sprint(out.Uncalled) != want {
		t.Errorf("%d, %d, %v", out.Instrumented, out.Never, out.Uncalled)
	}
	for i := range 2 * maxUncalled {
		c.instrumented(protocol.Frame{Name: fmt.Sprint(i)})
	}
	c.finish(&out)
	if out.Never != 3+2*maxUncalled || len(out.Uncalled) != maxUncalled {
		t.Errorf("%d, %d are listed", out.Never, len(out.Uncalled))
	}
}
