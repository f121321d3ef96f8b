package train

import (
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

func TestSpreadOver(t *testing.T) {
	states := []units.Frequency{1, 2, 3, 4, 5, 6}
	for n, want := range map[int][]units.Frequency{2: {6, 1}, 3: {6, 4, 1},
		6: {6, 5, 4, 3, 2, 1}, 16: {6, 5, 4, 3, 2, 1}} {
		if got := spreadOver(states, n); !slices.Equal(got, want) {
			t.Errorf("%d of them: %v, want %v", n, got, want)
		}
	}
	if got := spreadOver(states[:1], 3); !slices.Equal(got, states[:1]) {
		t.Errorf("of one: %v", got)
	}
}
