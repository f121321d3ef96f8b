package meters

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// hostShare is the file in which a host writes how much this guest used (wattmeter.Share). The host
// replaces it each interval, so it is opened for each reading.
type hostShare struct {
	path   string
	follow wattmeter.Shares
}

// openShare opens the file of a share, and reads it once. A different line later shows that a host
// writes it.
func openShare(path string) (*hostShare, error) {
	s := &hostShare{path: path}
	line, err := s.line()
	if err == nil {
		// A first line alone gives no power.
		_, _ = s.follow.Next(line, time.Duration(monotonic.Now()))
	}
	return s, err
}

// Name returns its name for people.
func (s *hostShare) Name() string { return "the host's share " + filepath.Base(s.path) }

func (s *hostShare) line() (*wattmeter.Share, error) {
	text, err := safefile.ReadFile(s.path, wattmeter.MostShare)
	if err != nil {
		return nil, err
	}
	line, err := wattmeter.ParseShare(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return line, nil
}

// Read returns the guest's power up to a line that is new, and nothing for one that was read
// before.
func (s *hostShare) Read() ([]wattmeter.Reading, error) {
	line, err := s.line()
	if err != nil {
		return nil, err
	}
	readings, err := s.follow.Next(line, time.Duration(monotonic.Now()))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return readings, nil
}

// Close closes nothing: the file is open only while it is read.
func (s *hostShare) Close() error { return nil }
