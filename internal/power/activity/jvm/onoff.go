package jvm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Program is a running program that counts its operations.
type Program struct {
	PID int
	// Progress has the number of the program's operations so far in its first 8 bytes,
	// little-endian.
	Progress io.ReaderAt
	// Power returns the machine's mean power since the call before, in W; NaN where it is not
	// known. Nil: nothing measures it.
	Power func() float64
}

// Switch turns counting on and off.
type Switch interface {
	On() error
	Off() error
}

// Result says what counting costs a program, in three currencies (VESTA, section 5.4).
type Result struct {
	CPU  Cost // added CPU time of an operation, which other programs do not change
	Wall Cost // added time from one operation to the next
	// Energy is the machine's added energy in that time; it has no triples without a meter.
	Energy Cost
}

// Cost says what counting costs, as parts of what an operation takes without.
type Cost struct {
	Triples []float64 // cost in each triple of stretches: off, on, off
	Median  float64
	// Low and High hold the median with 95 %; NaN with fewer than six triples.
	Low, High float64
}

// patience bounds the stretches that an operation may take.
const patience = 20

// errNoProgress says that no operation ended in patience stretches.
var errNoProgress = errors.New("the program makes no progress")

// MeasureSwitching compares stretches with and without counting, of the length each, until the
// context ends or it has so many triples. A triple is the cost in a stretch with counting against
// the mean of the two beside it without, so that what drifts drops out. A program that ends early
// is no error.
func MeasureSwitching(ctx context.Context, p Program, s Switch, each time.Duration, triples int,
) (r Result, err error) {
	off, err := p.stretch(ctx, each)
	for n := 0; err == nil && n < triples; n++ {
		var on, next operation
		if err = s.On(); err != nil {
			break
		}
		on, err = p.stretch(ctx, each)
		if err = errors.Join(err, s.Off()); err != nil {
			break
		}
		if next, err = p.stretch(ctx, each); err != nil {
			break
		}
		r.CPU.add(off.cpu, on.cpu, next.cpu)
		r.Wall.add(off.wall, on.wall, next.wall)
		r.Energy.add(off.energy, on.energy, next.energy)
		off = next
	}
	if errors.Is(err, unix.EINVAL) || errors.Is(err, context.DeadlineExceeded) {
		err = nil // it has ended
	}
	for _, c := range []*Cost{&r.CPU, &r.Wall, &r.Energy} {
		c.Median, c.Low, c.High = interval(c.Triples)
	}
	return r, err
}

// add adds a triple; none where one of the three is not known.
func (c *Cost) add(off, on, next float64) {
	if x := on/((off+next)/2) - 1; !math.IsNaN(x) && !math.IsInf(x, 0) {
		c.Triples = append(c.Triples, x)
	}
}

// operation is what an operation took in a stretch: ns of CPU time, ns, and J, which is NaN where
// it is not known.
type operation struct{ cpu, wall, energy float64 }

// stretch measures for so long, or until an operation has ended.
func (p *Program) stretch(ctx context.Context, each time.Duration) (o operation, err error) {
	if p.Power != nil {
		p.Power() // leaves out the energy from before the stretch
	}
	before, err := p.look()
	if err != nil {
		return o, err
	}
	// On a machine that is busy with other things the program may get no CPU for a while.
	for range patience {
		select {
		case <-ctx.Done():
			return o, ctx.Err()
		case <-time.After(each):
		}
		after, err := p.look()
		if err != nil {
			return o, err
		}
		if after.done <= before.done {
			continue
		}
		done, wall := float64(after.done-before.done), float64(after.at.Sub(before.at))
		o = operation{cpu: float64(after.used-before.used) / done, wall: wall / done,
			energy: math.NaN()}
		if p.Power != nil {
			o.energy = p.Power() * wall / 1e9 / done
		}
		return o, nil
	}
	return o, errNoProgress
}

// moment is a program's progress, with the CPU time that it took.
type moment struct {
	at   time.Time
	used time.Duration
	done uint64
}

func (p *Program) look() (m moment, err error) {
	var b [8]byte
	if _, err := p.Progress.ReadAt(b[:], 0); err != nil {
		return m, fmt.Errorf("read the program's progress: %w", err)
	}
	m.done = binary.LittleEndian.Uint64(b[:])
	// The clock of a process's CPU time, ended threads included (clock_getcpuclockid(3)).
	const scheduler = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^p.PID<<3|scheduler), &t); err != nil {
		return m, fmt.Errorf("read the CPU time of process %d: %w", p.PID, err)
	}
	m.used, m.at = time.Duration(t.Nano()), time.Now()
	return m, nil
}

// interval returns the median with its 95 % interval by ranks. It assumes that the triples are
// independent, and nothing of how they are distributed.
func interval(values []float64) (median, low, high float64) {
	n := len(values)
	if n == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	median = (sorted[(n-1)/2] + sorted[n/2]) / 2
	// The median lies below the k-th value with the probability of fewer than k heads in n throws.
	tail, term := 0.0, math.Pow(0.5, float64(n))
	k := 0
	for ; k < n; k++ {
		if tail+term > 0.025 {
			break
		}
		tail += term
		term *= float64(n-k) / float64(k+1)
	}
	if k == 0 {
		return median, math.NaN(), math.NaN()
	}
	return median, sorted[k-1], sorted[n-k]
}
