// Package uncore counts the lines that the whole machine reads from memory and writes to it, by the
// counters of its memory controllers. They see what the cores' own counters do not: writes,
// prefetches, page walks, devices, and all programs.
//
// What the kernel publishes of a controller in sysfs
// (Documentation/ABI/testing/sysfs-bus-event_source-devices-events and -format, admin-guide/perf)
// is read there: the event's fields, where they go, how many bytes a count is, which CPU counts for
// a package. Controllers whose events are not published there come from a table.
//
// Nobody has counted with it on a real controller yet.
package uncore
