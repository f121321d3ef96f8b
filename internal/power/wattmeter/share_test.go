package wattmeter

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// lineOf returns a line of an interval of a second.
func lineOf(sequence uint64, last int64) *Share {
	return &Share{Version: ShareVersion, Guest: "vm", Source: "measured", Sequence: sequence,
		IntervalNS: 1e9, LastNJ: &last, EnergyNJ: int64(sequence) * last}
}

func TestParseShare(t *testing.T) {
	line, err := json.Marshal(lineOf(7, 12e9))
	if err != nil {
		t.Fatal(err)
	}
	s, err := ParseShare(append(line, '\n'))
	if err != nil || s.Sequence != 7 || s.power() != 12 {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, bad := range []string{
		"", "{", "[]", "null", "12", string(line) + string(line), `{"ebb_share":2}`,
		strings.Replace(string(line), `"interval_ns":1000000000`, `"interval_ns":0`, 1),
		strings.Replace(string(line), `"last_nj":12`, `"last_nj":-12`, 1),
		strings.Replace(string(line), `"last_nj":`, `"last_nj":9000000`, 1),
		strings.Replace(string(line), `"guest"`, `"host"`, 1),
		strings.Replace(string(line), `"sequence":7`, `"sequence":1e99`, 1),
	} {
		if s, err := ParseShare([]byte(bad)); !errors.Is(err, errShare) {
			t.Errorf("%q: %+v, %v", bad, s, err)
		}
	}
}

// TestShares: a new line is the power since the line before, by the reader's clock; the first one,
// which a host that is gone may have left, is none. One that stays the same for too long is none
// any more, and a host that began anew is heard again.
func TestShares(t *testing.T) {
	var s Shares
	line := func(sequence uint64, last, sum int64) *Share {
		l := lineOf(sequence, last*1e9)
		l.EnergyNJ = sum * 1e9
		return l
	}
	unknown := line(9, 0, 200)
	unknown.LastNJ = nil
	const second = time.Second
	for _, x := range []struct {
		at   time.Duration
		line *Share
		from time.Duration // -1: no reading
		want float64
		err  error
	}{
		{0, line(2, 10, 20), -1, 0, ErrFirstShare},
		{second / 2, line(2, 10, 20), -1, 0, ErrFirstShare},
		{second * 3 / 4, line(3, 20, 40), 0, 20, nil},
		{second, line(3, 20, 40), -1, 0, nil},
		{second * 11 / 4, line(4, 30, 70), second * 3 / 4, 15, nil},   // a clock twice as fast
		{second * 15 / 4, line(7, 30, 160), second * 11 / 4, 90, nil}, // two lines missed
		{second * 9, line(7, 30, 160), -1, 0, nil},
		{second * 10, line(7, 30, 160), -1, 0, errStaleShare},
		{second * 55 / 4, line(8, 30, 190), second * 15 / 4, 3, nil}, // the host stood still
		{second * 14, unknown, -1, 0, errUnknownShare},
		{second * 60, line(1, 5, 5), second * 59, 5, nil}, // begun anew
		{second * 61, line(2, 0, 5), second * 60, 0, nil},
		{second * 61, line(3, 7, 12), second * 61, 7, nil}, // no time between them
		{second*61 + 1, line(4, 8, 20), -1, 0, errShare},
	} {
		got, err := s.Next(x.line, x.at)
		if !errors.Is(err, x.err) {
			t.Errorf("at %v: %v, want %v", x.at, err, x.err)
		}
		var want []Reading
		if x.from >= 0 {
			want = Steady(x.from.Seconds(), x.at.Seconds(), x.want)
		}
		if !slices.Equal(got, want) {
			t.Errorf("at %v: %v, want %v", x.at, got, want)
		}
	}
}

// TestSharesSum: whatever the reader's clock shows, and whichever lines it misses, its energy is
// the host's from the first new line to the last.
func TestSharesSum(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var s Shares
		track := NewTrack(1 << 16)
		rate, at := 0.3+3*r.Float64(), time.Duration(0)
		sum, begin, end := int64(0), int64(-1), int64(0)
		every := time.Duration(0.2e9 + 20e9*r.Float64())
		var from, until float64
		for n := range uint64(100) {
			last := r.Int64N(100 * int64(every))
			sum += last
			at += time.Duration(float64(every) * rate * (0.9 + 0.2*r.Float64()))
			if n > 3 && r.IntN(4) == 0 {
				continue
			}
			line := &Share{Version: ShareVersion, Guest: "g", Sequence: n, IntervalNS: int64(every),
				LastNJ: &last, EnergyNJ: sum}
			readings, err := s.Next(line, at)
			switch {
			case errors.Is(err, errStaleShare):
				t.Fatal(err)
			case len(readings) > 0 && begin < 0:
				from, begin = at.Seconds(), sum
			case err == nil:
				end, until = sum, at.Seconds()
			}
			for _, x := range readings {
				track.Add(x)
			}
		}
		got := track.Until(math.Inf(1)).Less(track.Until(from))
		want := float64(end-begin) / 1e9
		if math.Abs(got.Joules-want) > 1e-6*want || math.Abs(got.Covered-(until-from)) > 1e-6 {
			t.Errorf("seed %d: %.3f J in %.1f s, want %.3f in %.1f", seed, got.Joules, got.Covered,
				want, until-from)
		}
	}
}

func FuzzParseShare(f *testing.F) {
	line, _ := json.Marshal(lineOf(7, 12e9)) // it has no value that JSON lacks
	f.Add(line)
	f.Add([]byte(`{"ebb_share":1,"interval_ns":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseShare(b)
		if err != nil {
			return
		}
		var follow Shares
		if _, err := follow.Next(s, 0); !errors.Is(err, ErrFirstShare) &&
			!errors.Is(err, errUnknownShare) {
			t.Errorf("%q: the first line: %v", b, err)
		}
		for _, at := range []time.Duration{0, 1, time.Second} {
			s.Sequence++
			readings, _ := follow.Next(s, at)
			for _, r := range readings {
				if !(r.Power >= 0 && r.Power <= MostWatts) {
					t.Errorf("%q: %v W", b, r.Power)
				}
			}
		}
	})
}
