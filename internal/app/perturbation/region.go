package perturbation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/units"
)

// region is the part of each run that counts, where the program marks it. A process without rights
// reads the marks of runs alone here. ebb run reads those of observed runs.
type region struct {
	cut    profile.Cut
	name   string
	pipe   *safefile.Pipe
	reader *sandbox.Host
	run    stopwatch
}

// openRegion makes the pipe for the marks of runs alone, which the user writes (nil: ebb's own).
// Without a region there is none.
func openRegion(name string, as *syscall.Credential) (_ *region, err error) {
	if name == "" {
		return nil, nil
	}
	r := &region{name: name}
	if r.cut, err = profile.ParseCut(name); err != nil {
		return nil, err
	}
	uid, gid := uint32(os.Geteuid()), uint32(os.Getegid())
	if as != nil {
		uid, gid = as.Uid, as.Gid
	}
	if r.pipe, err = safefile.NewPipe(uid, gid); err != nil {
		return nil, err
	}
	if r.reader, err = sandbox.Start(); err != nil {
		return nil, errors.Join(err, r.pipe.Close())
	}
	r.reader.ReadMarks(r.pipe.Reader)
	r.reader.TakeMarks(func(at units.Instant, list []instrumented.Mark, _ uint64, _ bool) {
		r.run.take(list, at)
	})
	return r, nil
}

func (r *region) close() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.reader.Close(), r.pipe.Close())
}

// environment returns the variables with which a run alone marks.
func (r *region) environment() []string {
	if r == nil {
		return nil
	}
	return []string{instrumented.MarksVariable + "=" + r.pipe.Path}
}

// begin begins a run alone.
func (r *region) begin(from units.Instant) {
	if r != nil {
		r.run = stopwatch{cut: r.cut, regions: instrumented.NewRegions(), from: from, last: from}
	}
}

// read reads the marks so far. It does not wait.
func (r *region) read() {
	if r != nil {
		now := monotonic.Now()
		r.reader.AskMarks(now)
		r.reader.Poll(now)
	}
}

// end reads the last marks of a run, and returns the region's time.
func (r *region) end(ctx context.Context, to units.Instant) (time.Duration, error) {
	for range 2 { // the first answer may be from before the end
		r.reader.AskMarks(monotonic.Now())
		r.reader.LastMarks(ctx, monotonic.Now)
	}
	d := r.run.stop(to)
	if d <= 0 {
		return 0, fmt.Errorf("the program marked no region %q (ebb mark)", r.name)
	}
	return d, nil
}

// stopwatch adds up the time of a region by marks.
type stopwatch struct {
	cut     profile.Cut
	regions *instrumented.Regions
	section int
	from    units.Instant // time before it does not count
	last    units.Instant
	sum     time.Duration
}

// take counts the time up to the marks, of which none is later than now.
func (s *stopwatch) take(list []instrumented.Mark, now units.Instant) {
	if s.regions == nil {
		return // the marks are from before the first run
	}
	instrumented.OrderMarks(list, now, now)
	for _, m := range list {
		s.until(m.At)
		s.section = s.regions.Take(m, instrumented.Iterations)
	}
}

// until counts the time up to a moment.
func (s *stopwatch) until(at units.Instant) {
	at = max(at, s.last)
	if s.cut.Has(s.open()) {
		s.sum += max(at.Sub(max(s.last, s.from)), 0)
	}
	s.last = at
}

// open returns the open regions.
func (s *stopwatch) open() (list []profile.Region) {
	for _, r := range s.regions.Sections()[s.section] {
		list = append(list, profile.Region(r))
	}
	return list
}

// stop returns the region's time up to a run's end.
func (s *stopwatch) stop(to units.Instant) time.Duration {
	s.until(to)
	return s.sum
}
