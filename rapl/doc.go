// Package rapl reads the processor's own energy meters, "running average power limit".
//
// They are reached in two ways: the powercap class (/sys/class/powercap/intel-rapl:*,
// Documentation/power/powercap) and the perf PMU "power" (/sys/bus/event_source/devices/power).
// Open takes either, and the PMU where a zone has both: its counters are 64 bits wide, extended by
// the kernel, and need no root where perf_event_paranoid is 0, while powercap has the hardware's
// width and has been readable by root only since the PLATYPUS attack.
//
// A zone is what one counter covers: a package, its cores, its graphics, its memory, or the whole
// platform. Zones overlap: cores and graphics are parts of their package, memory is not, the
// platform contains everything. Nothing here adds them up.
//
// errors.Is distinguishes what can go wrong: a machine without meters (ErrNone), meters that may
// not be read (ErrPermission), and per zone, in its Reading, one that stands still or was reset.
//
// AMD's powercap has a subzone "core" per package that reads the meter of a single core; it is left
// out, as are the memory-mapped duplicates (intel-rapl-mmio) of packages that are there already.
package rapl
