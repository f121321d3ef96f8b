package fakekernel

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
)

var controls = []string{"scaling_governor", "scaling_min_freq", "scaling_max_freq",
	"scaling_setspeed"}

// policy is one policyN. Frequencies are in kHz.
type policy struct {
	id                 int
	governor           string
	min, max           int64 // limits as requested through the files
	shownMin, shownMax int64 // limits in effect
	lag                int   // number of reads until the requests take effect
	cap                int64 // a cooling device's request; 0 for none
	speed, cur         int64
	changes            []change // changes of the clock; none without hardware
}

func (p *policy) dir() string {
	return fmt.Sprintf("devices/system/cpu/cpufreq/policy%d", p.id)
}

func (p *policy) path(name string) string { return p.dir() + "/" + name }

func (p *policy) write(k *Kernel, name, value string) syscall.Errno {
	number, isNumber := parse(value)
	switch name {
	case "scaling_governor":
		if !slices.Contains(strings.Fields(k.spec.Governors), value) {
			return syscall.EINVAL
		}
		if p.governor != value {
			p.governor, p.speed = value, p.cur
		}
	case "scaling_setspeed":
		if p.governor != "userspace" || !isNumber {
			return syscall.EINVAL
		}
		p.speed = number
	case "scaling_min_freq", "scaling_max_freq":
		if !isNumber {
			return syscall.EINVAL
		}
		limit := &p.min
		if name == "scaling_max_freq" {
			limit = &p.max
		}
		old := *limit
		*limit = number
		if k.spec.OldLimits && p.min > p.max {
			*limit = old
			return syscall.EINVAL
		}
		if p.lag = k.spec.Lag; p.lag > 0 {
			return 0
		}
	default:
		return syscall.EACCES
	}
	p.apply(k)
	return 0
}

// apply makes the requests take effect.
func (p *policy) apply(k *Kernel) {
	table := k.spec.Table
	lo, hi := table[0], table[len(table)-1]
	p.shownMax = min(max(p.max, lo), hi)
	if p.cap != 0 {
		p.shownMax = min(p.shownMax, p.cap)
	}
	p.shownMin = min(max(p.min, lo), p.shownMax)
	if p.governor == "userspace" {
		p.cur = roundUp(table, min(max(p.speed, p.shownMin), p.shownMax))
	} else {
		p.cur = p.shownMax
	}
	p.request(k)
}

func roundUp(table []int64, f int64) int64 {
	i, _ := slices.BinarySearch(table, f)
	return table[min(i, len(table)-1)]
}

// applyLate makes a late request take effect now.
func (p *policy) applyLate(k *Kernel) {
	if p.lag > 0 {
		p.lag = 0
		p.apply(k)
		k.publish(p)
	}
}

// publish writes the policy's files.
func (k *Kernel) publish(p *policy) {
	speed := "<unsupported>"
	if p.governor == "userspace" {
		speed = fmt.Sprint(p.cur)
	}
	k.put(p.path("scaling_governor"), p.governor)
	k.put(p.path("scaling_min_freq"), fmt.Sprint(p.shownMin))
	k.put(p.path("scaling_max_freq"), fmt.Sprint(p.shownMax))
	k.put(p.path("scaling_setspeed"), speed)
	k.put(p.path("scaling_cur_freq"), fmt.Sprint(p.cur))
}
