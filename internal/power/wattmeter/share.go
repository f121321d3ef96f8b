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

// Shares follows a file's lines. The host's clock is another one, so a line is stale when it has
// stayed the same for long by the reader's own clock.
type Shares struct {
	last  Share
	since time.Duration
	begun bool
	moved bool // the line has changed, so there is a host that writes
}

// Power returns the guest's power in the newest interval, in W. At is the time at which the line
// was read, by any steady clock.
func (s *Shares) Power(line *Share, at time.Duration) (float64, error) {
	if !s.begun || line.Sequence != s.last.Sequence || line.EnergyNJ != s.last.EnergyNJ {
		s.moved = s.begun
		s.last, s.since, s.begun = *line, at, true
	}
	switch {
	case at-s.since > staleShare+time.Duration(line.IntervalNS):
		return 0, fmt.Errorf("%w: its line is of %v ago", errStaleShare,
			(at - s.since).Round(time.Second))
	case !s.moved:
		return 0, ErrFirstShare
	case line.LastNJ == nil:
		return 0, errUnknownShare
	}
	return line.power(), nil
}
