package wattmeter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// ShareVersion is the version of Share's form. A reader refuses any other.
const ShareVersion = 1

// staleShare is the time, beyond the length of its interval, after which a line that did not change
// is no reading.
const staleShare = 5 * time.Second

// Share says what part of the energy that a host's meters measured is a guest's. The host writes it
// as a line of JSON into a file that the guest reads.
type Share struct {
	Version int    `json:"ebb_share"`
	Guest   string `json:"guest"`  // the guest's name on the host
	Source  string `json:"source"` // source of the host's energy
	// Sequence counts the intervals since the host began.
	Sequence   uint64 `json:"sequence"`
	IntervalNS int64  `json:"interval_ns"` // length of the last interval
	// LastNJ is the guest's part in the last interval, its part of idle energy included; nil where
	// the host does not know it. EnergyNJ is all since the host began, and IdleNJ the part of it
	// that is idle energy: 0 unless the host divides that.
	LastNJ   *int64 `json:"last_nj,omitempty"`
	EnergyNJ int64  `json:"energy_nj"`
	IdleNJ   int64  `json:"idle_nj"`
}

// MostShare bounds a share's line, in bytes.
const MostShare = 4096

var (
	// errShare says that a file is no line of a host's.
	errShare = errors.New("no share that a host wrote")
	// ErrFirstShare says that the line is the first that was read. Whether a host still writes it
	// shows when it changes.
	ErrFirstShare = errors.New("the host has written nothing since ebb read it first")
	// errStaleShare says that the line has not changed for its interval and staleShare.
	errStaleShare = errors.New("the host writes no more")
	// errUnknownShare says that the host does not know the last interval's energy.
	errUnknownShare = errors.New("the host does not know it")
)

// ParseShare reads a share's line. It refuses unknown fields, amounts below zero and powers beyond
// MostWatts.
func ParseShare(line []byte) (*Share, error) {
	var s Share
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("%w: %w", errShare, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: there is more behind the line", errShare)
	}
	switch {
	case s.Version != ShareVersion:
		return nil, fmt.Errorf("%w: version %d, not %d", errShare, s.Version, ShareVersion)
	case s.IntervalNS <= 0 || s.LastNJ != nil && *s.LastNJ < 0 || s.EnergyNJ < 0 || s.IdleNJ < 0:
		return nil, fmt.Errorf("%w: it has an amount below zero, or no interval", errShare)
	}
	if s.LastNJ != nil && s.power() > MostWatts {
		return nil, fmt.Errorf("%w: it says %.0f W", errShare, s.power())
	}
	return &s, nil
}

// power returns the mean of the last interval, in W: a nJ in a ns is one.
func (s *Share) power() float64 { return float64(*s.LastNJ) / float64(s.IntervalNS) }

// Shares follows a file's lines. The host's clock is another one, and the guest's may be wrong:
// what a stretch of the guest's time took is the difference of two of the host's sums, and a line
// is stale when it has stayed the same for long by the reader's own clock.
type Shares struct {
	last  Share
	since time.Duration
	begun bool
	moved bool // the line has changed, so there is a host that writes
}

// Next takes the line that was read at a time, by any steady clock of the reader's. Where it is a
// new one it returns the guest's power from the line before until now, as readings in a row:
// straight lines between them give what the host's sum grew by. Otherwise it returns none.
func (s *Shares) Next(line *Share, at time.Duration) ([]Reading, error) {
	last, since, moved := s.last, s.since, s.moved
	changed := !s.begun || line.Sequence != last.Sequence || line.EnergyNJ != last.EnergyNJ
	if changed {
		s.moved = s.begun
		s.last, s.since, s.begun = *line, at, true
	}
	interval := time.Duration(line.IntervalNS)
	switch {
	case at-s.since > staleShare+interval:
		return nil, fmt.Errorf("%w: its line is of %v ago", errStaleShare,
			(at - s.since).Round(time.Second))
	case !s.moved:
		return nil, ErrFirstShare
	case line.LastNJ == nil:
		return nil, errUnknownShare
	case !changed:
		return nil, nil
	}
	power := line.power()
	if moved && at > since && line.Sequence > last.Sequence && line.EnergyNJ >= last.EnergyNJ {
		power = float64(line.EnergyNJ-last.EnergyNJ) / float64(at-since)
	} else {
		since = max(since, at-interval) // the line alone says what came before
	}
	if power > MostWatts {
		return nil, fmt.Errorf("%w: it says %.0f W", errShare, power)
	}
	return Steady(since.Seconds(), at.Seconds(), power), nil
}

// Steady returns readings of one power between two times in s, so many that there is no gap.
func Steady(from, to, power float64) []Reading {
	var out []Reading
	for ; from < to; from += MostGap / 2 {
		out = append(out, Reading{At: from, Power: power})
	}
	return append(out, Reading{At: to, Power: power})
}
