package epochs

import (
	"errors"
	"slices"
	"testing"
)

func TestEnds(t *testing.T) {
	tests := map[string][]End{
		"-":    nil,
		"W3":   {{EndSleep, 3, NoThread}},
		"A2<0": {{EndWake, 2, 0}},
		"A2":   {{EndWake, 2, NoThread}},
		"S1<0": {{EndStart, 1, 0}},
		"X3;P4;O5;R6;C;F;M": {
			{EndExit, 3, NoThread}, {EndPreempt, 4, NoThread}, {EndOtherSleep, 5, NoThread}, {EndResume, 6, NoThread},
			{EndCut, NoThread, NoThread}, {EndRun, NoThread, NoThread}, {EndPhase, NoThread, NoThread},
		},
		"W2147483647": {{EndSleep, 2147483647, NoThread}},
	}
	for text, want := range tests {
		got, err := ParseEnds(nil, []byte(text))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if back := AppendEnds(nil, want); string(back) != text {
			t.Errorf("%s becomes %s", text, back)
		}
	}
	for _, text := range []string{
		"", ";", "W", "W3;", ";W3", "Z3", "w3", "3", "W3<1", "A2<", "A<2", "C1", "F;", "W-1", "W 3", "W3 ", "--", "-;W3", "W2147483648",
	} {
		if got, err := ParseEnds(nil, []byte(text)); !errors.Is(err, ErrEnds) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func FuzzParseEnds(f *testing.F) {
	f.Add("-")
	f.Add("W3;A2<0;C")
	f.Add("S1<0;X4294967296")
	f.Fuzz(func(t *testing.T, text string) {
		ends, err := ParseEnds(nil, []byte(text))
		if err != nil {
			return
		}
		again, err := ParseEnds(nil, AppendEnds(nil, ends))
		if err != nil || !slices.Equal(ends, again) {
			t.Errorf("%q: %v, then %v, %v", text, ends, again, err)
		}
	})
}
