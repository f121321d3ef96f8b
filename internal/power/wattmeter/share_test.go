package wattmeter

import (
	"encoding/json"
	"errors"
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

// TestShares: each line is the power of its interval, but for the first, which a host that is gone
// may have left, until it stays the same for too long; a host that began anew is heard again.
func TestShares(t *testing.T) {
	var s Shares
	unknown := lineOf(4, 0)
	unknown.LastNJ = nil
	for _, x := range []struct {
		at   time.Duration
		line *Share
		want float64
		err  error
	}{
		{0, lineOf(2, 10e9), 0, ErrFirstShare},
		{time.Second / 2, lineOf(2, 10e9), 0, ErrFirstShare},
		{time.Second, lineOf(3, 20e9), 20, nil},
		{6 * time.Second, lineOf(3, 20e9), 20, nil},
		{8 * time.Second, lineOf(3, 20e9), 0, errStaleShare},
		{9 * time.Second, unknown, 0, errUnknownShare},
		{60 * time.Second, lineOf(1, 5e9), 5, nil},
		{61 * time.Second, lineOf(2, 0), 0, nil},
	} {
		got, err := s.Power(x.line, x.at)
		if got != x.want || !errors.Is(err, x.err) {
			t.Errorf("at %v: %v W, %v; want %v, %v", x.at, got, err, x.want, x.err)
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
		if _, err := follow.Power(s, 0); !errors.Is(err, ErrFirstShare) &&
			!errors.Is(err, errUnknownShare) {
			t.Errorf("%q: the first line: %v", b, err)
		}
		s.Sequence++
		if w, err := follow.Power(s, 0); err == nil && !(w >= 0 && w <= MostWatts) {
			t.Errorf("%q: %v W", b, w)
		}
	})
}
