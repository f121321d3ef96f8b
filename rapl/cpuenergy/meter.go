package cpuenergy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/units"
)

var (
	// ErrNoMeter says that the machine has no meter that ebb knows, as most virtual machines.
	ErrNoMeter = rapl.ErrNone
	// ErrPermission says that this user may not read the meters.
	ErrPermission = rapl.ErrPermission
	// ErrNoProcess says that there is no such process, or it has ended.
	ErrNoProcess = errors.New("no such process")
	// ErrUnknown says that the meters failed or stood still, so that the energy is not known.
	ErrUnknown = errors.New("the meters cannot say")
)

// Sources of an energy.
const (
	Measured = "measured" // from the machine's meters, divided by CPU time
	Modelled = "formula"  // from the thermal design power and the CPU time
)

// Meter measures the energy of processes. It is for one goroutine.
type Meter struct {
	meters *rapl.Meters // nil: the formula needs none
	mu     sync.Mutex   // held while the meters are read
	stop   func()       // ends the readings that keep up with the counters
	power  units.Power  // power of a busy CPU, for the formula
	busy   func() (time.Duration, error)
	sums   func() (units.Energy, bool)
}

// Open opens the machine's meters. The error is ErrNoMeter or ErrPermission.
func Open() (*Meter, error) {
	fs, err := sysfs.Open("/sys")
	if err != nil {
		return nil, fmt.Errorf("open the meters: %w", err)
	}
	defer fs.Close() // the meters have files of their own
	return open(fs)
}

func open(fs *sysfs.FS) (*Meter, error) {
	meters, err := rapl.Open(fs)
	if err != nil {
		return nil, fmt.Errorf("open the meters: %w", err)
	}
	if err := meters.Whole(); err != nil {
		return nil, errors.Join(fmt.Errorf("open the meters: %w", err), meters.Close())
	}
	m := &Meter{meters: meters, busy: busy}
	m.sums = m.read
	m.stop = meters.KeepUp(func() { m.read() })
	return m, nil
}

// Formula returns a meter of the processor's thermal design power, in W, and its number of CPUs:
// CPU time at 0.7 TDP over the CPUs (e-Surgeon's equations 4 and 5, at the highest frequency).
func Formula(tdp units.Power, cpus int) *Meter {
	return &Meter{power: 0.7 * tdp / units.Power(max(cpus, 1))}
}

// read returns the energy that all packages and their memory have used.
func (m *Meter) read() (units.Energy, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pkg, _, dram, ok := rapl.Sums(m.meters.Read(now(), nil))
	return pkg.Plus(dram), ok
}

// Close closes the meters.
func (m *Meter) Close() error {
	if m.meters == nil {
		return nil
	}
	m.stop()
	return m.meters.Close()
}

// Reading is the state of a process and of the machine at a moment.
type Reading struct {
	PID     int
	at      units.Instant
	cpu     time.Duration // CPU time of the process
	busy    time.Duration // busy time of all CPUs
	machine units.Energy
}

// Read reads a process and the meters. The errors are ErrNoProcess and ErrUnknown.
func (m *Meter) Read(pid int) (Reading, error) {
	r := Reading{PID: pid, at: now()}
	var err error
	if r.cpu, err = processTime(pid); err != nil {
		return Reading{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	if m.busy == nil {
		return r, nil
	}
	if r.busy, err = m.busy(); err != nil {
		return Reading{}, fmt.Errorf("read the CPUs' time: %w: %w", ErrUnknown, err)
	}
	var ok bool
	if r.machine, ok = m.sums(); !ok {
		return Reading{}, fmt.Errorf("read the meters: %w", ErrUnknown)
	}
	return r, nil
}

// Used is the time and energy that a process used between two readings.
type Used struct {
	PID     int
	Wall    time.Duration
	CPU     time.Duration
	Energy  units.Energy // part of the process
	Machine units.Energy // energy of the machine; 0 by the formula
	Source  string       // Measured or Modelled
}

// Power returns the mean power over the time between the readings.
func (u *Used) Power() units.Power { return u.Energy.Over(u.Wall) }

// Between returns the time and energy that the process used from one of its readings to a later
// one.
func (m *Meter) Between(from, to Reading) Used {
	u := Used{PID: to.PID, Wall: to.at.Sub(from.at), CPU: max(to.cpu-from.cpu, 0), Source: Modelled}
	if m.busy == nil {
		u.Energy = m.power.For(u.CPU)
		return u
	}
	u.Source, u.Machine = Measured, max(to.machine-from.machine, 0)
	// The kernel counts the CPUs' time in 10 ms, the process's exactly.
	all := max(to.busy-from.busy, u.CPU)
	if all > 0 {
		u.Energy = min(units.Energy(float64(u.Machine)*(float64(u.CPU)/float64(all))), u.Machine)
	}
	return u
}

// Of waits for d and returns what the process used meanwhile: getCPUEnergy(PID, d). If the context
// ends early, it returns what was used until then. If the process ends, the error is ErrNoProcess.
func (m *Meter) Of(ctx context.Context, pid int, d time.Duration) (Used, error) {
	from, err := m.Read(pid)
	if err != nil {
		return Used{}, err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	to, err := m.Read(pid)
	if err != nil {
		return Used{}, err
	}
	return m.Between(from, to), nil
}

// now returns the time by CLOCK_MONOTONIC.
func now() units.Instant {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // it cannot fail
	return units.Instant(t.Nano())
}

// processTime returns the CPU time of all threads that a process has and had: the clock of
// clock_getcpuclockid(3), which the kernel numbers by the process (posix-timers.h).
func processTime(pid int) (time.Duration, error) {
	const sched = 2 // CPUCLOCK_SCHED
	if pid <= 0 || pid > 1<<22 {
		return 0, ErrNoProcess
	}
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|sched), &t); err != nil {
		return 0, ErrNoProcess
	}
	return time.Duration(t.Nano()), nil
}
