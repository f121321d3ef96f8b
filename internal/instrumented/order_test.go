package instrumented

import (
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

// TestOrder: times of the future are now, marks without a time stay behind those before them, and
// marks of one time in their order.
func TestOrder(t *testing.T) {
	list := []Mark{{Name: "a", At: 30}, {Name: "b"}, {Name: "c", At: 5}, {Name: "d", At: -1},
		{Name: "e", At: 1 << 62}, {Name: "f"}, {Name: "g", At: 5}}
	OrderMarks(list, 20, 40)
	var names string
	var times []units.Instant
	for _, m := range list {
		names += m.Name
		times = append(times, m.At)
	}
	if want := []units.Instant{5, 5, 30, 30, 30, 40, 40}; names != "cgabdef" ||
		!slices.Equal(times, want) {
		t.Errorf("%s at %v", names, times)
	}
}
