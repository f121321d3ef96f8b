package cpufreq

import (
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// Clock is a domain's frequency by the kernel. Neither number is sure to be the clock that the
// program got: for that take cycles over time.
type Clock struct {
	// Scaling is scaling_cur_freq: on x86 from APERF/MPERF over the last tick where that is younger
	// than about 20 ms, in all other cases the last request. Under a cap in the hardware it may
	// still say the request.
	Scaling units.Frequency
	// Hardware is cpuinfo_cur_freq: the value that the driver reads from the hardware. 0 where the
	// driver does not offer it; for root only.
	Hardware units.Frequency
}

// Best returns Hardware where there is one, or else Scaling.
func (c Clock) Best() units.Frequency { return cmpOr(c.Hardware, c.Scaling) }

// Delivered reads the domain's clock from the kernel. It opens files, and reading the hardware may
// interrupt a CPU: for diagnosis, not for every quantum. It fails only when neither can be read.
func Delivered(fs *sysfs.FS, d sysfs.Domain) (Clock, error) {
	scaling, hardware := reader{fs: fs, dir: d.Dir()}, reader{fs: fs, dir: d.Dir()}
	c := Clock{Scaling: scaling.frequency("scaling_cur_freq"),
		Hardware: hardware.frequency("cpuinfo_cur_freq")}
	if c == (Clock{}) {
		return c, scaling.err
	}
	return c, nil
}

// Clock returns the mean of the domains' frequencies by the kernel (scaling_cur_freq), weighted by
// the number of CPUs online; 0 where it says nothing.
func (h *Host) Clock() units.Frequency {
	sum, cpus := 0.0, 0
	for i := range h.Domains {
		d := &h.Domains[i]
		r := reader{fs: h.fs, dir: d.ID.Dir()}
		if f := r.frequency("scaling_cur_freq"); f > 0 {
			sum += float64(f) * float64(len(d.Online))
			cpus += len(d.Online)
		}
	}
	if cpus == 0 {
		return 0
	}
	return units.Frequency(sum / float64(cpus))
}
