// Package fakekernel is a cpufreq subsystem on a tree of plain files, for tests: a write to a
// control means what it means to the kernel, and it can be made to fail in the ways the kernel's
// does.
//
// It behaves like the kernel (Documentation/admin-guide/pm/cpufreq.rst): the userspace governor has
// to be chosen before a speed is taken; a speed is clamped to the limits and rounded up to the
// driver's table; a limit is a request, and the file shows the limits in effect, which a cap may
// hold lower and which can be late; garbage is EINVAL.
package fakekernel

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// Spec describes a machine. Frequencies are in kHz.
type Spec struct {
	Policies  int
	Driver    string
	Governors string // text of scaling_available_governors
	Governor  string
	Speed     int64   // speed when Governor is userspace
	Table     []int64 // scaling_available_frequencies, ascending
	NoTable   bool    // the driver has the table for itself
	Min, Max  int64   // limits; 0 for the ends of the table
	EPP       bool
	// OldLimits: a minimum above the maximum is EINVAL, as before Linux 5.3, and not bent.
	OldLimits bool
	// Lag is the number of reads of a limit that show the old one after a change, Late the time for
	// which they do.
	Lag  int
	Late time.Duration
}

// Ladder returns the frequencies from lo to hi in steps, in kHz.
func Ladder(lo, hi, step int64) []int64 {
	var table []int64
	for f := lo; f <= hi; f += step {
		table = append(table, f)
	}
	return table
}

// Write is one attempt to write.
type Write struct {
	Path, Value string
	Err         syscall.Errno
}

// Kernel is the fake. Its methods may be called from several goroutines.
type Kernel struct {
	Dir      string // the tree, as /sys
	mu       sync.Mutex
	spec     Spec
	policies []*policy
	faults   map[string]*Fault
	renewed  map[string]int // number of renewals by the policy's directory
	writes   []Write
	reads    int
	hardware *Hardware
	gone     bool // the test is over
}

// New makes the machine's tree in a temporary directory.
func New(tb testing.TB, s Spec) *Kernel {
	tb.Helper()
	k := &Kernel{Dir: devtest.Tree(tb, "dir devices/system/cpu/cpufreq\n"), spec: s,
		faults: map[string]*Fault{}, renewed: map[string]int{}}
	if s.Late > 0 {
		k.spec.Lag = math.MaxInt
	}
	tb.Cleanup(func() { k.mu.Lock(); defer k.mu.Unlock(); k.gone = true })
	for id := range s.Policies {
		k.policies = append(k.policies, k.newPolicy(id))
	}
	k.put("devices/system/cpu/online", fmt.Sprintf("0-%d", max(s.Policies-1, 0)))
	return k
}

// Postpone has limits wait for Work from now on, as for a worker that gets no CPU.
func (k *Kernel) Postpone() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spec.Lag = math.MaxInt
}

// Work makes all late limits take effect, as the kernel's worker does.
func (k *Kernel) Work() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.policies {
		if !k.gone {
			p.applyLate(k)
		}
	}
}

// FS opens the tree with the fake behind every control.
func (k *Kernel) FS(tb testing.TB) *sysfs.FS {
	tb.Helper()
	f, err := sysfs.OpenIntercepted(k.Dir,
		func(path string, f sysfs.File) sysfs.File {
			k.mu.Lock()
			defer k.mu.Unlock()
			return &file{k, path, f, k.renewed[filepath.Dir(path)]}
		})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	return f
}

// Write writes value to a control, as any program may.
func (k *Kernel) Write(path, value string) syscall.Errno {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.write(path, strings.TrimSuffix(value, "\n"))
	k.writes = append(k.writes, Write{path, value, err})
	if k.spec.Late > 0 {
		time.AfterFunc(k.spec.Late, k.Work)
	}
	return err
}

// Writes returns the writes that were tried since the last call.
func (k *Kernel) Writes() []Write {
	k.mu.Lock()
	defer k.mu.Unlock()
	w := k.writes
	k.writes = nil
	return w
}

// Reads returns the number of reads of all attributes so far.
func (k *Kernel) Reads() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.reads
}

// Controls returns the value of every control, by path.
func (k *Kernel) Controls() map[string]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := map[string]string{}
	for _, p := range k.policies {
		p.applyLate(k)
		for _, name := range controls {
			b, err := os.ReadFile(filepath.Join(k.Dir, p.path(name)))
			if err == nil {
				all[p.path(name)] = string(b)
			}
		}
	}
	return all
}

func (k *Kernel) write(path, value string) syscall.Errno {
	if fault := k.fault(path); fault != nil && fault.Write != 0 {
		return fault.Write
	} else if fault != nil && fault.Ignore {
		return 0
	}
	i := slices.IndexFunc(k.policies, func(p *policy) bool { return filepath.Dir(path) == p.dir() })
	if i < 0 {
		return syscall.ENODEV
	}
	p := k.policies[i]
	if err := p.write(k, filepath.Base(path), value); err != 0 {
		return err
	}
	k.publish(p)
	return 0
}

func parse(value string) (int64, bool) {
	v, err := strconv.ParseInt(value, 10, 64)
	return v, err == nil && v >= 0
}
