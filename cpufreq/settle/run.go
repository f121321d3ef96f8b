package settle

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// Run measures on this machine, whose tree at /sys is fs, with the actuator that holds its
// frequencies. It takes one CPU for up to budget (see Measure), and leaves the machine at its
// highest state.
//
// The speed comes from a counter of delivered cycles where one can be read, otherwise from a loop.
// Only when the loop shows nothing is the clock read back from the kernel: that says less, because
// some drivers repeat the request.
func Run(fs *sysfs.FS, a Actuator) (Result, error) {
	domain, cpu, err := choose(fs)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnobserved, err)
	}
	undo, err := pin(cpu)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnobserved, err)
	}
	defer undo()
	if c, err := openCounter(cpu); err == nil {
		defer c.Close() // the counter was only read
		return Measure(a, c, now)
	}
	end := now() + budget
	r, err := measure(a, &loop{state: 1}, now, end)
	if err == nil || !errors.Is(err, ErrUnobserved) {
		return r, err
	}
	back, backErr := newReadback(fs, domain)
	if backErr != nil {
		return r, err
	}
	if r, backErr := measure(a, back, now, end); backErr == nil {
		return r, nil
	}
	return r, err // the reason of the loop says more
}

// choose returns the domain that reaches the highest frequency, and a CPU of it on which this
// process may run.
func choose(fs *sysfs.FS) (sysfs.Domain, sysfs.CPU, error) {
	host, err := cpufreq.Open(fs)
	if err != nil {
		return 0, 0, err
	}
	may, err := proc.ThreadAffinity()
	if err != nil {
		return 0, 0, err
	}
	best, on := -1, sysfs.CPU(0)
	for i := range host.Domains {
		d := &host.Domains[i]
		if best >= 0 && d.Max <= host.Domains[best].Max {
			continue
		}
		for _, c := range d.Online {
			if may.Has(int(c)) {
				best, on = i, c
				break
			}
		}
	}
	if best < 0 {
		return 0, 0, errors.New("this process may run on no CPU of a frequency domain")
	}
	return host.Domains[best].ID, on, nil
}

// pin keeps the calling goroutine on a CPU until undo is called.
func pin(cpu sysfs.CPU) (undo func(), err error) {
	runtime.LockOSThread()
	before, err := proc.ThreadAffinity()
	if err == nil {
		err = proc.Only(int(cpu)).SetThread()
	}
	if err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("run on CPU %d: %w", cpu, err)
	}
	return func() {
		if before.SetThread() == nil {
			runtime.UnlockOSThread()
		}
		// Else the thread stays locked and ends with its goroutine, so that no other is kept on one
		// CPU.
	}, nil
}
