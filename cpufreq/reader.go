package cpufreq

import (
	"fmt"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// The controls of a domain, and its other attributes that more than one place reads by name.
const (
	governorFile = "scaling_governor"
	minFile      = "scaling_min_freq"
	maxFile      = "scaling_max_freq"
	speedFile    = "scaling_setspeed"
)

// kHz is the unit of the kernel's cpufreq files. It is used at the files and nowhere else.
const kHz units.Frequency = 1000

// maxFrequency is beyond any clock: a larger number is a damaged file.
const maxFrequency = 100_000_000 * kHz

// reader reads the attributes of one directory and keeps the first error. A read that fails gives
// the zero value.
type reader struct {
	fs  *sysfs.FS
	dir string
	err error
}

func (r *reader) text(name string) string {
	s, err := r.fs.Read(r.dir + "/" + name)
	r.keep(err)
	return s
}

func (r *reader) frequency(name string) units.Frequency {
	v, err := r.fs.ReadInt(r.dir + "/" + name)
	if err == nil && (v <= 0 || units.Frequency(v) > maxFrequency/kHz) {
		err = fmt.Errorf("read %s/%s: %w: %d kHz is no clock", r.dir, name, sysfs.ErrMalformed, v)
	}
	if err != nil {
		r.keep(err)
		return 0
	}
	return units.Frequency(v) * kHz
}

func (r *reader) cpus(fs *sysfs.FS, id sysfs.Domain, name string) []sysfs.CPU {
	cpus, err := sysfs.DomainCPUs(fs, id, name)
	r.keep(err)
	return cpus
}

func (r *reader) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

func cmpOr(f, otherwise units.Frequency) units.Frequency {
	if f == 0 {
		return otherwise
	}
	return f
}
