package epochs

import (
	"errors"
	"slices"
	"testing"
)

func TestEnds(t *testing.T) {
	tests := map[string][]End{
		"-":    nil,
		"W3":   {{Kind: EndSleep, Thread: 3, By: NoThread}},
		"A2<0": {{Kind: EndWake, Thread: 2, By: 0}},
		"A2":   {{Kind: EndWake, Thread: 2, By: NoThread}},
		"S1<0": {{Kind: EndStart, Thread: 1, By: 0}},
		"X3;P4;O5;R6;C;F;M": {
			{Kind: EndExit, Thread: 3, By: NoThread}, {Kind: EndPreempt, Thread: 4, By: NoThread},
			{Kind: EndOtherSleep, Thread: 5, By: NoThread},
			{Kind: EndResume, Thread: 6, By: NoThread},
			{Kind: EndCut, Thread: NoThread, By: NoThread},
			{Kind: EndRun, Thread: NoThread, By: NoThread},
			{Kind: EndPhase, Thread: NoThread, By: NoThread},
		},
		"W2147483647": {{Kind: EndSleep, Thread: 2147483647, By: NoThread}},
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
