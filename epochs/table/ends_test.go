package table

import (
	"errors"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

func TestEnds(t *testing.T) {
	tests := map[string][]epochs.End{
		"-":    nil,
		"W3":   {{Kind: epochs.EndSleep, Thread: 3, By: epochs.NoThread}},
		"A2<0": {{Kind: epochs.EndWake, Thread: 2, By: 0}},
		"A2":   {{Kind: epochs.EndWake, Thread: 2, By: epochs.NoThread}},
		"S1<0": {{Kind: epochs.EndStart, Thread: 1, By: 0}},
		"X3;P4;O5;R6;C;F;M": {
			{Kind: epochs.EndExit, Thread: 3, By: epochs.NoThread},
			{Kind: epochs.EndPreempt, Thread: 4, By: epochs.NoThread},
			{Kind: epochs.EndOtherSleep, Thread: 5, By: epochs.NoThread},
			{Kind: epochs.EndResume, Thread: 6, By: epochs.NoThread},
			{Kind: epochs.EndCut, Thread: epochs.NoThread, By: epochs.NoThread},
			{Kind: epochs.EndRun, Thread: epochs.NoThread, By: epochs.NoThread},
			{Kind: epochs.EndPhase, Thread: epochs.NoThread, By: epochs.NoThread},
		},
		"W2147483647": {{Kind: epochs.EndSleep, Thread: 2147483647, By: epochs.NoThread}},
	}
	for text, want := range tests {
		got, err := parseEnds(nil, []byte(text))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if back := appendEnds(nil, want); string(back) != text {
			t.Errorf("%s becomes %s", text, back)
		}
	}
	for _, text := range []string{
		"", ";", "W", "W3;", ";W3", "Z3", "w3", "3", "W3<1", "A2<", "A<2", "C1", "F;", "W-1",
		"W 3", "W3 ", "--", "-;W3", "W2147483648",
	} {
		if got, err := parseEnds(nil, []byte(text)); !errors.Is(err, ErrEnds) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func FuzzParseEnds(f *testing.F) {
	f.Add("-")
	f.Add("W3;A2<0;C")
	f.Add("S1<0;X4294967296")
	f.Fuzz(func(t *testing.T, text string) {
		ends, err := parseEnds(nil, []byte(text))
		if err != nil {
			return
		}
		again, err := parseEnds(nil, appendEnds(nil, ends))
		if err != nil || !slices.Equal(ends, again) {
			t.Errorf("%q: %v, then %v, %v", text, ends, again, err)
		}
	})
}
