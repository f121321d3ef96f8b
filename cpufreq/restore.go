package cpufreq

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// ErrIncomplete: some control could not be put back. The snapshot stays, so that it can be tried
// again.
var ErrIncomplete = errors.New("not everything could be put back")

// Restore puts back what a killed process left, by the snapshot in the run directory dir. It may be
// called at any time and any number of times: without a snapshot it does nothing. It fails with
// ErrLocked while that process is alive, and with ErrSnapshot or ErrUnsafe when the snapshot cannot
// be trusted; then nothing was written.
func Restore(dir string, sys *sysfs.FS) (Restoration, error) {
	d, err := openRunDir(dir, lockFile, false)
	if errors.Is(err, fs.ErrNotExist) {
		return Restoration{Complete: true}, nil
	}
	if err != nil {
		return Restoration{}, err
	}
	defer d.release()
	s, err := d.load()
	if err != nil {
		return Restoration{}, err
	}
	if s == nil {
		return Restoration{Complete: true}, nil
	}
	return d.restore(s, sys)
}

// RestoreLater does what Restore does once no process has the lock: the kernel gives it up when the
// governor and both of its guards have ended in whatever way, in a container as well.
func RestoreLater(dir string, sys *sysfs.FS) (Restoration, error) {
	for {
		if err := await(dir); err != nil {
			return Restoration{}, err
		}
		// Another governor may have begun meanwhile.
		if r, err := Restore(dir, sys); !errors.Is(err, ErrLocked) {
			return r, err
		}
	}
}

// restore puts every control back and then removes the snapshot, or stores the controls that
// failed.
func (d *runDir) restore(s *snapshot, sys *sysfs.FS) (Restoration, error) {
	res := Restoration{PID: s.PID, Complete: true}
	if s.ofAnotherBoot() {
		res.Rebooted = true
	} else {
		res.Controls = restoreControls(sys, s.Controls)
		res.Complete = res.Count(Failed) == 0
	}
	if !res.Complete {
		r := newRecord(s)
		defer r.close()
		if err := d.store(r); err != nil {
			return res, err
		}
		return res, fmt.Errorf("%w: %d of %d controls", ErrIncomplete, res.Count(Failed),
			len(res.Controls))
	}
	if err := d.root.Remove(snapshotFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return res, fmt.Errorf("remove the snapshot: %w", err)
	}
	return res, nil
}

// ofAnotherBoot reports whether the machine was booted since. Where that cannot be found out, as
// without a /proc or a free descriptor, it was not: a reboot takes the run directory along, and
// only what still is as ebb set it is put back.
func (s *snapshot) ofAnotherBoot() bool {
	now := bootID()
	return now != "" && s.BootID != "" && s.BootID != now
}

// bootID returns an id that differs after each boot; "" when the kernel does not say.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// restoreControls puts the controls back, each on its own: a failure stops no other. Controls that
// are settled are marked as untouched in entries, so that another try does not take a later change
// by another program for ours.
//
// Within a domain the limits come first, because they bound the other values, then the governor,
// then scaling_setspeed, which only the userspace governor has.
func restoreControls(sys *sysfs.FS, entries []entry) []ControlRestoration {
	results := make([]ControlRestoration, len(entries))
	for _, at := range byDomain(entries) {
		for _, name := range restoreOrder(sys, entries, at) {
			if k, ok := at[name]; ok {
				results[k] = attempt(sys, &entries[k])
			}
		}
	}
	return results
}

// attempt puts one control back. Even a panic stops no other control.
func attempt(sys *sysfs.FS, e *entry) (c ControlRestoration) {
	defer func() {
		if fault := recover(); fault != nil {
			c = ControlRestoration{Domain: e.Domain, Control: e.Control, Result: Failed,
				Found: e.Found, Err: fmt.Errorf("panic: %v", fault)}
		}
	}()
	return putBack(sys, e)
}

// byDomain returns for each domain, in the entries' order, the indices of its controls by name.
func byDomain(entries []entry) []map[string]int {
	var domains []map[string]int
	index := map[sysfs.Domain]int{}
	for i := range entries {
		k, ok := index[entries[i].Domain]
		if !ok {
			k = len(domains)
			index[entries[i].Domain] = k
			domains = append(domains, map[string]int{})
		}
		domains[k][entries[i].Control] = i
	}
	return domains
}

// restoreOrder puts the limit first that makes room for the other: the kernel refuses, or bends, a
// minimum above the maximum.
func restoreOrder(sys *sysfs.FS, entries []entry, at map[string]int) []string {
	maxFirst := []string{maxFile, minFile, governorFile, speedFile}
	minFirst := []string{minFile, maxFile, governorFile, speedFile}
	k, ok := at[maxFile]
	if !ok {
		return minFirst
	}
	r := reader{fs: sys, dir: entries[k].Domain.Dir()}
	lowest, back := r.frequency(minFile), entries[k].frequency()
	if r.err == nil && back < lowest {
		return minFirst
	}
	return maxFirst
}
