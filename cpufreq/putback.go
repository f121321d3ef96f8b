package cpufreq

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// ErrNotEffective: the kernel accepted a value, but another one reads back.
var ErrNotEffective = errors.New("accepted without effect")

const (
	// confirmTries and confirmPause bound the time until a restored value must read back: a kernel
	// worker applies limits, usually within a millisecond.
	confirmTries = 50
	confirmPause = 2 * time.Millisecond
	// lateLimit is the wait for that worker where the value to read back does not change.
	lateLimit = 10 * time.Millisecond
)

// putBack restores one control and marks it untouched when it is settled.
func putBack(sys *sysfs.FS, e *entry) ControlRestoration {
	c := ControlRestoration{Domain: e.Domain, Control: e.Control, Found: e.Found}
	c.Now, c.Err = sys.Read(e.path())
	switch {
	case errors.Is(c.Err, sysfs.ErrAbsent):
		c.Result, c.Err = Gone, nil
	case c.Err != nil && e.touched():
		c.Result = Failed
		return c
	case c.Err != nil:
		c.Result, c.Err = Untouched, nil // it cannot be read, so nothing has to be put back
	case !e.touched() && c.Now == e.Found:
		c.Result = Untouched
	case !e.touched() || !(e.ours(c.Now) || bentByKernel(sys, e, c.Now)):
		c.Result = Kept
	case e.Control == governorFile && c.Now == e.Found:
		c.Result = Restored // a governor is changed at once, so this one was never taken or is back
	default:
		// It is written even when it reads as found: a limit of ours may not have been applied yet.
		c.Err = writeBack(sys, e)
		c.Now, _ = sys.Read(e.path())
		if c.Err != nil {
			c.Result = Failed
			return c
		}
		c.Result = Restored
	}
	e.Held = [heldValues]string{}
	return c
}

// writeBack writes the value found at first and waits until it reads back.
func writeBack(sys *sysfs.FS, e *entry) error {
	if refused := sys.Write(e.path(), e.Found); refused != nil {
		// A control that takes no value has never taken ours: it is as found, and stays so.
		time.Sleep(lateLimit)
		if now, err := sys.Read(e.path()); err == nil && now == e.Found {
			return nil
		}
		return refused
	}
	var now string
	for try := range confirmTries {
		if try > 0 {
			time.Sleep(confirmPause)
		}
		var err error
		if now, err = sys.Read(e.path()); err != nil {
			return err
		}
		if now == e.Found {
			return nil
		}
		// The request is back where the kernel only bends it for now. A cap can last for hours, and
		// the domains behind this one wait.
		if f := parseKHz(now); f != 0 && time.Duration(try)*confirmPause >= lateLimit &&
			(f == shownAs(sys, e, e.frequency()) || capped(sys, e.Domain, f, e.frequency())) {
			return nil
		}
	}
	return fmt.Errorf("%w: wrote %s, reads %s", ErrNotEffective, e.Found, now)
}

// frequency returns the value first found in a control that holds frequencies; 0 for others.
func (e *entry) frequency() units.Frequency { return parseKHz(e.Found) }

func parseKHz(s string) units.Frequency {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v > int64(maxFrequency/kHz) {
		return 0
	}
	return units.Frequency(v) * kHz
}

// bentByKernel reports whether a control reads as another value because the kernel bends the one we
// wrote: by a cap, or within a limit that another program has changed.
func bentByKernel(sys *sysfs.FS, e *entry, now string) bool {
	found := parseKHz(now)
	if found == 0 {
		return false // a governor, or no number
	}
	var highest units.Frequency
	for _, v := range e.Held {
		f := parseKHz(v)
		if f != 0 && shownAs(sys, e, f) == found {
			return true
		}
		highest = max(highest, f)
	}
	return capped(sys, e.Domain, found, highest)
}

// shownAs returns the value that a control shows for f within the limits in effect: a minimum is at
// most the maximum, a speed lies between both.
func shownAs(sys *sysfs.FS, e *entry, f units.Frequency) units.Frequency {
	r := reader{fs: sys, dir: e.Domain.Dir()}
	lo, hi := r.frequency(minFile), r.frequency(maxFile)
	switch {
	case r.err != nil || e.Control == maxFile:
		return f
	case e.Control == minFile:
		return min(f, hi)
	}
	return min(max(f, lo), hi)
}
