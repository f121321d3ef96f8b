// Package uncore counts the lines that the whole machine reads from memory and writes to it, by the
// counters of its memory controllers. They see what the cores' own counters do not: writes,
// prefetches, page walks, devices, and all programs.
//
// The kernel publishes in sysfs an event's fields, their places, the bytes of a count, and the CPU
// that counts for a package (Documentation/ABI/testing/sysfs-bus-event_source-devices-events and
// -format, admin-guide/perf). A table has the controllers whose events are not published there.
//
// The package has not been used with a real controller yet.
package uncore
