package settle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// now returns the Clock of this machine: CLOCK_MONOTONIC.
func now() time.Duration {
	return time.Duration(monotonic.Now())
}

// counter is the gauge by a counter of delivered cycles, for all that runs on the CPU: an interrupt
// does not disturb it.
type counter struct {
	source string
	set    *perfevent.Set
	fd     int
}

// openCounter opens the counter of delivered cycles.
func openCounter(cpu sysfs.CPU) (*counter, error) {
	var errs []error
	for _, source := range []string{Cycles, APERF} {
		events, err := hpc.ByName([]string{source})
		if err != nil {
			return nil, err
		}
		set := hpc.Set{Counters: []string{source}, By: []hpc.PMUEvents{{Events: events}}}
		open, err := perfevent.Open(set, []int{int(cpu)})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		return &counter{source, open, open.FDs()[cpu][0]}, nil
	}
	return nil, errors.Join(errs...)
}

func (c *counter) Source() string { return c.source }

func (c *counter) Close() error { return c.set.Close() }

func (c *counter) Idle(d time.Duration) { time.Sleep(d) }

// read returns the count and, at the same moment, the time in ns for which it has counted.
func (c *counter) read() (count, ns uint64, err error) {
	var b [24]byte // count, time enabled, time running
	n, err := unix.Read(c.fd, b[:])
	if err == nil && n != len(b) {
		err = perfevent.ErrNoCounter
	}
	return binary.NativeEndian.Uint64(b[:]), binary.NativeEndian.Uint64(b[8:]), err
}

func (c *counter) Window(d time.Duration) (float64, error) {
	before, since, err := c.read()
	if err != nil {
		return 0, err
	}
	for begin := now(); now()-begin < d; {
	}
	after, until, err := c.read()
	if err == nil && until <= since {
		err = perfevent.ErrNoCounter
	}
	if err != nil {
		return 0, err
	}
	return float64(after-before) / float64(until-since), nil
}

// loop is the gauge for machines without a counter. Its work takes the same number of cycles each
// time. The speed is per CPU time of the thread, so another program that takes the CPU does not
// look like a slower clock.
type loop struct{ state uint64 }

func (l *loop) Source() string { return Loop }
func (l *loop) Close() error   { return nil }

func (l *loop) Idle(d time.Duration) { time.Sleep(d) }

// lap is a stretch of the loop: about a microsecond, so that reading the clock costs a few percent.
const lap = 1000

func (l *loop) Window(d time.Duration) (float64, error) {
	begin, ran := now(), onCPU()
	laps := 0
	for {
		x := l.state | 1
		for range lap {
			x *= 0x9E3779B97F4A7C15 // each multiplication needs the one before
		}
		l.state = x
		laps++
		if now()-begin < d {
			continue
		}
		if ran = onCPU() - ran; ran <= 0 {
			return 0, errors.New("the kernel's account of this thread's CPU time stands still")
		}
		return float64(laps) / float64(ran), nil
	}
}

// onCPU returns the CPU time of the calling thread: CLOCK_THREAD_CPUTIME_ID.
func onCPU() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) // as for Now
	return time.Duration(ts.Nano())
}

// readback is the gauge that reads a domain's clock back from the kernel.
type readback struct {
	fs     *sysfs.FS
	domain sysfs.Domain
	source string
}

func newReadback(fs *sysfs.FS, d sysfs.Domain) (*readback, error) {
	c, err := cpufreq.Delivered(fs, d)
	if err != nil {
		return nil, err
	}
	g := &readback{fs, d, Kernel}
	if c.Hardware != 0 {
		g.source = Hardware
	}
	return g, nil
}

func (r *readback) Source() string { return r.source }
func (r *readback) Close() error   { return nil }

func (r *readback) Idle(d time.Duration) { time.Sleep(d) }

func (r *readback) Window(time.Duration) (float64, error) {
	c, err := cpufreq.Delivered(r.fs, r.domain)
	if err != nil {
		return 0, err
	}
	if f := c.Best(); f > 0 {
		return float64(f), nil
	}
	return 0, fmt.Errorf("%s: no clock", r.source)
}
