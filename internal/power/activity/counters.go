package activity

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/units"
)

// Names of inputs that a machine has only with counters or a clock that can be read.
const (
	// Clock is the mean clock of the busy CPUs in GHz: cycles over busy time where cycles are
	// counted, else what the kernel says when windows end. 0 where no CPU worked.
	Clock = "clock_ghz"
	// cycles is the counter of cycles in which a CPU is not halted, as package hpc names it.
	cycles = "cycles"
)

// Hardware says where a machine's own counters and clock are read. Its zero value has none.
type Hardware struct {
	// Counters names the counters. FDs has their file descriptors (perf_event_open(2)), by CPU and
	// in the order of Counters; their owner closes them.
	Counters []string
	FDs      [][]int
	// Frequency returns the mean clock of the CPUs at the moment of the call, 0 where it cannot be
	// read; nil: the machine shows none. It is not called where cycles are counted.
	Frequency func() units.Frequency
}

// Names returns the names of the inputs, in the order of tables.
func (h *Hardware) Names() (names []string) {
	if h.Frequency != nil || h.counts(cycles) {
		names = append(names, Clock)
	}
	return append(names, h.Counters...)
}

func (h *Hardware) counts(name string) bool {
	for _, c := range h.Counters {
		if c == name {
			return true
		}
	}
	return false
}

// Count is the value of one of the processor's counters and the time that it ran, summed over all
// CPUs.
type Count struct {
	Name string
	N    uint64
	Ran  time.Duration
}

// read reads the counters. An error on one CPU, as when it goes offline or another program takes
// its counters, leaves all of them out of the reading.
func (h *Hardware) read(r *Reading) {
	if h.Frequency != nil && !h.counts(cycles) {
		r.Clock = h.Frequency()
	}
	sums := make([]Count, len(h.Counters))
	for i, name := range h.Counters {
		sums[i].Name = name
		for _, fds := range h.FDs {
			if i >= len(fds) {
				continue // no counters are open on a CPU of this number
			}
			n, ran, err := counted(fds[i])
			if err != nil {
				return
			}
			sums[i].N += n
			sums[i].Ran += ran
		}
	}
	r.Counts = sums
}

// errStopped says that a counter counts no more.
var errStopped = errors.New("it does not count")

// counted reads a counter, and the time that it ran.
func counted(fd int) (n uint64, ran time.Duration, err error) {
	var v [24]byte // value, time enabled, time running
	k, err := unix.Read(fd, v[:])
	switch {
	case err != nil:
		return 0, 0, fmt.Errorf("read a counter: %w", err)
	case k != len(v):
		return 0, 0, fmt.Errorf("read a counter: %w", errStopped)
	}
	return binary.NativeEndian.Uint64(v[:]), time.Duration(binary.NativeEndian.Uint64(v[16:])), nil
}

// hardware adds the inputs of counters and clock to a window's. Counters need a reading at both
// ends. One that stood still on some CPU is left out, and the clock with it.
func hardware(in Inputs, from, to *Reading) {
	wall := to.At.Sub(from.At).Seconds()
	busy := elapsed(from.CPUs.Busy, to.CPUs.Busy).Seconds()
	works := busy > leastBusy*wall
	if from.Clock > 0 && to.Clock > 0 {
		in[Clock] = 0
		if works {
			in[Clock] = (float64(from.Clock) + float64(to.Clock)) / 2e9
		}
	}
	if len(from.Counts) != len(to.Counts) {
		return
	}
	for i, c := range to.Counts {
		ran := (c.Ran - from.Counts[i].Ran).Seconds()
		if ran < leastRan*wall*float64(to.Stat.CPUs) {
			delete(in, Clock)
			continue // a CPU was away, for one
		}
		n := float64(c.N - min(from.Counts[i].N, c.N)) // a counter that went back counted nothing
		in[c.Name] = n / wall
		if c.Name == cycles {
			in[Clock] = 0
			if works {
				in[Clock] = n / 1e9 / busy
			}
		}
	}
}

// leastBusy is the part of a window, of one CPU, below which there is no clock to speak of.
const leastBusy = 0.001

// leastRan is the part of a window, on all CPUs that are online, that a counter has to run in.
const leastRan = 0.9
