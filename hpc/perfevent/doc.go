// Package perfevent opens counters with perf_event_open(2). A Set has hpc events, one counter for
// each event and CPU, for the BPF programs to read. A Memory has the counters of the memory
// controllers.
//
// It uses the system call directly: of the library for this, hodgesds/perf-utils v0.7.0, the group
// profiler overwrites the attributes it is given, pinning and kernel mode among them, and excludes
// the hypervisor, which the msr PMU refuses.
//
// # Memory
//
// Memory counts the lines that the whole machine reads from memory and writes to it. Its
// controllers see what the cores' own counters do not: writes, prefetches, page walks, devices, and
// all programs.
//
// The kernel publishes in sysfs an event's fields, their places, the bytes of a count, and the CPU
// that counts for a package (Documentation/ABI/testing/sysfs-bus-event_source-devices-events and
// -format, admin-guide/perf). A table has the controllers whose events are not published there.
// Memory has not been used with a real controller yet.
package perfevent
