package fakekernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// Fault is a fault of one control.
type Fault struct {
	Write  syscall.Errno // error of every write
	Read   syscall.Errno // error of every read of the open file
	Ignore bool          // a write succeeds and does nothing, as when a driver's error is swallowed
	Times  int           // number of times; 0 for ever
}

// Break gives a control a fault.
func (k *Kernel) Break(path string, f Fault) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.faults[path] = &f
}

// Mend takes all faults away.
func (k *Kernel) Mend() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.faults)
}

// fault returns the control's fault and uses it up.
func (k *Kernel) fault(path string) *Fault {
	f := k.faults[path]
	if f == nil {
		return nil
	}
	if f.Times > 0 {
		if f.Times--; f.Times == 0 {
			delete(k.faults, path)
		}
	}
	return f
}

// Cool holds a policy's maximum at kHz, as a cooling device does; 0 releases it.
func (k *Kernel) Cool(policy int, kHz int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	state := 0
	if kHz > 0 {
		state = 1
	}
	k.put("class/thermal/cooling_device0/type", "Processor")
	k.put("class/thermal/cooling_device0/cur_state", fmt.Sprint(state))
	p := k.policies[policy]
	p.cap = kHz
	p.apply(k)
	k.publish(p)
}

// Vanish removes a policy, as when its driver is unloaded: open files answer ENODEV.
func (k *Kernel) Vanish(policy int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.policies[policy]
	for _, name := range controls {
		k.faults[p.path(name)] = &Fault{Write: syscall.ENODEV, Read: syscall.ENODEV}
	}
	if err := os.RemoveAll(filepath.Join(k.Dir, p.dir())); err != nil {
		panic(err)
	}
}

// Renew removes a policy and makes it anew, with the values that it had at first, as when its
// driver is switched or its CPUs are unplugged and plugged: files that are open stay those of the
// old one.
func (k *Kernel) Renew(policy int) {
	k.Vanish(policy)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range controls {
		delete(k.faults, k.policies[policy].path(name))
	}
	k.policies[policy] = k.newPolicy(policy)
	k.renewed[k.policies[policy].dir()]++
}

// file is a control that the fake handles.
type file struct {
	k    *Kernel
	path string
	real sysfs.File
	of   int // number of its policy's renewals when it was opened
}

// gone reports whether the file's policy has been renewed since it was opened.
func (f *file) gone() bool { return f.of != f.k.renewed[filepath.Dir(f.path)] }

func (f *file) Pwrite(b []byte, off int64) (int, error) {
	if off != 0 {
		return 0, syscall.EINVAL
	}
	f.k.mu.Lock()
	gone := f.gone()
	f.k.mu.Unlock()
	if gone {
		return 0, syscall.ENODEV
	}
	if err := f.k.Write(f.path, string(b)); err != 0 {
		return 0, err
	}
	return len(b), nil
}

func (f *file) Pread(b []byte, off int64) (int, error) {
	f.k.mu.Lock()
	defer f.k.mu.Unlock()
	if f.gone() {
		return 0, syscall.ENODEV
	}
	if off == 0 {
		if fault := f.k.faults[f.path]; fault != nil && fault.Read != 0 {
			return 0, fault.Read
		}
		f.k.tick(f.path)
		f.k.reads++
	}
	return f.real.Pread(b, off)
}

func (f *file) Close() error { return f.real.Close() }

// tick lets a late limit come one read nearer to its effect.
func (k *Kernel) tick(path string) {
	if !strings.HasSuffix(path, "scaling_min_freq") &&
		!strings.HasSuffix(path, "scaling_max_freq") {
		return
	}
	for _, p := range k.policies {
		if filepath.Dir(path) == p.dir() && p.lag > 0 {
			if p.lag == 1 {
				p.applyLate(k)
			} else {
				p.lag--
			}
		}
	}
}
