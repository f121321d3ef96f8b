package calls

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// emulated and stepped are functions of ebb's own for breakpoints: the kernel emulates the first
// instruction of one, and has a thread execute that of the other by a single step. Nobody calls
// them but Measure.
func emulated()
func stepped()

// ownPlaces returns the addresses of emulated and stepped.
func ownPlaces() (emulated, stepped uintptr)

// Cost is the CPU time that counting a call takes on this machine; 0: not measured.
type Cost struct{ Emulated, Stepped time.Duration }

const (
	// own is the number of functions of ebb's own, whose numbers follow those of the counted ones.
	own = 2
	// patience is the time in which calls of one kind are measured, of which there is at least one
	// batch. The first batches are dearer: caches are cold, and a core that slept is slow.
	patience = 8 * time.Millisecond
	// batchOf and batchStepped are the numbers of calls in a batch: some hundredths of a
	// millisecond, or more where breakpoints are dear.
	batchOf, batchStepped = 64, 16
)

// Measure returns what counting a call costs here, at functions of ebb's own, and what it costs
// where the kernel steps the thread if that is wanted. Their breakpoints stay until Close, because
// removing them takes longer than measuring. It takes some 10 ms, and twice that with steps. Calls
// while the program runs can cost more or less: other work on the core decides.
func (c *Counter) Measure(withSteps bool) (cost Cost, err error) {
	if cost, err = c.measure(withSteps); err != nil {
		return Cost{}, fmt.Errorf("measure what counting a call costs: %w", err)
	}
	return cost, nil
}

func (c *Counter) measure(withSteps bool) (cost Cost, err error) {
	file, err := os.Open("/proc/self/exe")
	if err != nil {
		return cost, err
	}
	defer file.Close() // it was only read
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e, s := ownPlaces()
	kinds := []struct {
		call  func()
		at    uintptr
		batch int
		cost  *time.Duration
	}{{emulated, e, batchOf, &cost.Emulated}, {stepped, s, batchStepped, &cost.Stepped}}
	if !withSteps {
		kinds = kinds[:1]
	}
	for i, k := range kinds {
		offset, err := offsetOf(k.at)
		if err != nil {
			return cost, err
		}
		k.call() // the first one is cold
		free, err := timed(k.call, k.batch)
		if err != nil {
			return cost, err
		}
		if err := c.probe(file, []Probe{{Offset: offset, Function: c.functions + i}}); err != nil {
			return cost, err
		}
		var all []time.Duration
		for end := time.Now().Add(patience); ; {
			took, err := timed(k.call, k.batch)
			if err != nil {
				return cost, err
			}
			all = append(all, (took-free)/time.Duration(k.batch))
			if time.Now().After(end) {
				break
			}
		}
		all = all[len(all)/2:]
		slices.Sort(all)
		*k.cost = max(all[len(all)/4], 1) // other work on the CPU makes a batch longer
	}
	return cost, nil
}

// timed returns the thread's CPU time of so many calls.
func timed(call func(), times int) (time.Duration, error) {
	begin, err := used()
	if err != nil {
		return 0, err
	}
	for range times {
		call()
	}
	end, err := used()
	return end - begin, err
}

// used returns the calling thread's CPU time.
func used() (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0, fmt.Errorf("read a thread's CPU time: %w", err)
	}
	return time.Duration(t.Nano()), nil
}

// offsetOf returns where an address of this process's program lies in the program's file.
func offsetOf(at uintptr) (uint64, error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(maps) {
		var from, to, offset uint64
		var rights string
		if n, _ := fmt.Sscanf(string(line), "%x-%x %s %x", &from, &to, &rights, &offset); n == 4 &&
			from <= uint64(at) && uint64(at) < to {
			return uint64(at) - from + offset, nil
		}
	}
	return 0, errors.New("this program's own code is not in its maps")
}
