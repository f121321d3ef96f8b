package perfevent

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

const memoryDevices = "bus/event_source/devices"

// pair holds the events of one controller that together are its reads and its writes. They are
// names if the kernel publishes them, otherwise terms.
type pair struct {
	reads, writes []string
	published     bool
}

// memoryClass is a kind of memory controller.
type memoryClass struct {
	name    string // name of its PMUs, without their number
	channel bool   // each of its PMUs is one channel
	pairs   []pair // candidates, of which the first that a PMU has is taken
}

// memoryClasses are the kinds, the best first: programmed counters count as requested, free-running
// ones exist on few processors. The events are those of arch/x86/events/intel/uncore_snb.c and
// uncore_snbep.c, and of arch/x86/events/amd/uncore.c with perf's own list for Zen 4 and 5
// (umc_cas_cmd.rd and .wr).
var memoryClasses = []memoryClass{
	{"uncore_imc", true, []pair{
		{[]string{"cas_count_read"}, []string{"cas_count_write"}, true},
		{[]string{"cas_count_read_sch0", "cas_count_read_sch1"},
			[]string{"cas_count_write_sch0", "cas_count_write_sch1"}, true},
	}},
	{"uncore_imc", false, []pair{{[]string{"data_reads"}, []string{"data_writes"}, true}}},
	{"uncore_imc_free_running", false, []pair{
		{[]string{"data_read"}, []string{"data_write"}, true},
		{[]string{"read"}, []string{"write"}, true},
	}},
	{"amd_umc", true, []pair{{[]string{"event=0x0a,rdwrmask=1"}, []string{"event=0x0a,rdwrmask=2"},
		false}}},
}

// event is one event of a controller, ready to be opened.
type event struct {
	config config
	lines  float64 // lines per count
	writes bool
}

// controller is one PMU with the events to be counted on it.
type controller struct {
	name   string
	kind   uint32 // the kernel's number of the PMU
	cpus   []sysfs.CPU
	events []event
}

// find describes the controllers of a class. A class that the machine lacks has none; one whose
// description is incomplete on one of its controllers is an error, as half of the traffic would
// look like the whole.
func (c *memoryClass) find(fs *sysfs.FS, names []string) (out []controller, err error) {
	of := 0
	for _, name := range names {
		if !isOf(name, c.name) {
			continue
		}
		of++
		for i := range c.pairs {
			ctl, err := c.pairs[i].read(fs, name)
			if errors.Is(err, sysfs.ErrAbsent) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			out = append(out, ctl)
			break
		}
	}
	if len(out) > 0 && len(out) < of {
		return nil, fmt.Errorf("%s: %w on %d of %d controllers only", c.name, errEncoding, len(out),
			of)
	}
	return out, nil
}

// isOf reports whether a PMU's name is the class's, alone or with a number.
func isOf(name, class string) bool {
	rest, ok := strings.CutPrefix(name, class)
	if !ok || rest == "" {
		return ok
	}
	number, ok := strings.CutPrefix(rest, "_")
	_, err := strconv.ParseUint(number, 10, 16)
	return ok && err == nil
}

// read describes a controller. The error is ErrAbsent where it lacks these events.
func (p *pair) read(fs *sysfs.FS, name string) (ctl controller, err error) {
	dir := memoryDevices + "/" + name
	ctl.name = name
	for i, side := range [][]string{p.reads, p.writes} {
		for _, e := range side {
			ev, err := p.event(fs, dir, e)
			if err != nil {
				return ctl, err
			}
			ev.writes = i == 1
			ctl.events = append(ctl.events, ev)
		}
	}
	kind, err := fs.ReadInt(dir + "/type")
	if err != nil {
		return ctl, err
	}
	ctl.kind = uint32(kind)
	mask, err := fs.Read(dir + "/cpumask")
	if err != nil {
		return ctl, err
	}
	if ctl.cpus, err = sysfs.ParseCPUs(mask); err == nil &&
		(len(ctl.cpus) == 0 || kind < 0 || int64(ctl.kind) != kind) {
		err = fmt.Errorf("type %d on CPUs %.40q: %w", kind, mask, sysfs.ErrMalformed)
	}
	return ctl, err
}

// event describes an event, by its published name or its terms.
func (p *pair) event(fs *sysfs.FS, dir, name string) (ev event, err error) {
	terms, scale, unit := name, "", ""
	if p.published {
		path := dir + "/events/" + name
		if terms, err = fs.Read(path); err != nil {
			return ev, err
		}
		if scale, err = optional(fs, path+".scale"); err != nil {
			return ev, err
		}
		if unit, err = optional(fs, path+".unit"); err != nil {
			return ev, err
		}
	}
	if ev.lines, err = linesPerCount(scale, unit); err != nil {
		return ev, err
	}
	ev.config, err = parseEvent(terms, func(name string) (field, error) {
		if name == "" || strings.ContainsAny(name, "/.") {
			return field{}, fmt.Errorf("%w: a term %.40q", errEncoding, name)
		}
		text, err := fs.Read(dir + "/format/" + name)
		if errors.Is(err, sysfs.ErrAbsent) {
			return field{}, fmt.Errorf("%w: the PMU has no field %.40q", errEncoding, name)
		}
		if err != nil {
			return field{}, err
		}
		return parseField(text)
	})
	return ev, err
}

// optional returns an attribute's text; "" where there is no such attribute.
func optional(fs *sysfs.FS, path string) (string, error) {
	text, err := fs.Read(path)
	if errors.Is(err, sysfs.ErrAbsent) {
		return "", nil
	}
	return text, err
}
