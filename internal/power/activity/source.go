package activity

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// Source reads this machine's counts. It is for one goroutine.
type Source struct {
	stat, vmstat *os.File
	text         []byte
	programs     *programs
	hardware     Hardware
}

// Add makes Read also read the machine's own counters and clock.
func (s *Source) Add(h Hardware) { s.hardware = h }

// Open opens the kernel's files below root, usually /proc, and loads the programs. The error is
// ErrNotSupported or ErrPermission when the kernel refuses these.
func Open(root string) (_ *Source, err error) {
	s := &Source{text: make([]byte, 1<<14)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.stat, err = os.Open(root + "/stat"); err != nil {
		return nil, err
	}
	if s.vmstat, err = os.Open(root + "/vmstat"); err != nil {
		return nil, err
	}
	if s.programs, err = openPrograms(0); err != nil {
		return nil, err
	}
	if err := proc.CheckClock(); err != nil {
		return nil, err
	}
	return s, nil
}

// Read reads all counts.
func (s *Source) Read() (r Reading, err error) {
	if r.CPUs, err = s.programs.read(monotonic.Now); err != nil {
		return r, err
	}
	r.At = monotonic.Now()
	text, err := s.whole(s.stat)
	if err == nil {
		r.Stat, err = ParseStat(text)
	}
	if err != nil {
		return r, err
	}
	if text, err = s.whole(s.vmstat); err == nil {
		r.vmStat, err = parseVMStat(text)
	}
	s.hardware.read(&r)
	return r, err
}

// mostText bounds a file of the kernel's: the line of interrupts is long on large machines.
const mostText = 4 << 20

// whole reads a file from its beginning.
func (s *Source) whole(f *os.File) (string, error) {
	n := 0
	for {
		if n == len(s.text) {
			if n >= mostText {
				return "", fmt.Errorf("read %s: more than %d bytes", f.Name(), mostText)
			}
			s.text = append(s.text, make([]byte, n)...)
		}
		k, err := f.ReadAt(s.text[n:], int64(n))
		n += k
		switch {
		case errors.Is(err, io.EOF):
			return string(s.text[:n]), nil
		case err != nil:
			return "", err
		}
	}
}

// Close unloads the programs and closes the files.
func (s *Source) Close() error {
	var errs []error
	for _, f := range []*os.File{s.stat, s.vmstat} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	if s.programs != nil {
		errs = append(errs, s.programs.close())
	}
	return errors.Join(errs...)
}
