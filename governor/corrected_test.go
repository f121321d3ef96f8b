package governor

import (
	"testing"

	"github.com/ebb-energy/ebb/predictor/learning"
)

// TestNothingIsCorrectedUnseen: what recorded programs lean by is too uncertain of the next one to
// spend time on it.
func TestNothingIsCorrectedUnseen(t *testing.T) {
	var a learning.Anchor
	for share := 0.0; share <= 1; share += 0.05 {
		lean, deviation := a.Bias(-1, -share)
		if b := believed(-lean, deviation, -1); b != 0 {
			t.Errorf("where %.0f %% of the time scales, %v is corrected of a lean of %v +- %v",
				share*100, b, lean, deviation)
		}
		lean, deviation = a.Bias(1, share)
		if b := believed(lean, deviation, 1); b != 0 {
			t.Errorf("upward, where %.0f %% scales, %v is corrected of a lean of %v +- %v",
				share*100, b, lean, deviation)
		}
	}
}
