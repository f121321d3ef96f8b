package correction

import "testing"

// TestNothingUnseenIsCorrected: the bias of recorded programs is too uncertain for the next one to
// spend time on it.
func TestNothingUnseenIsCorrected(t *testing.T) {
	var a anchor
	for share := 0.0; share <= 1; share += 0.05 {
		bias, deviation := a.bias(-1, -share)
		if b := believed(-bias, deviation, waitsDeviation); b != 0 {
			t.Errorf("where %.0f %% of the time scales, %v is corrected of a bias of %v +- %v",
				share*100, b, bias, deviation)
		}
		bias, deviation = a.bias(1, share)
		if b := believed(bias, deviation, waitsDeviation); b != 0 {
			t.Errorf("upward, where %.0f %% scales, %v is corrected of a bias of %v +- %v",
				share*100, b, bias, deviation)
		}
	}
}
