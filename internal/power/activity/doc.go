// Package activity says what a machine's kernel did in a window of time, as the inputs of a power
// model (package powermodel), by name.
//
// The kernel's own accounts are used where they are exact and cheap: /proc/stat for the time of the
// CPUs by kind, the switches and the interrupts, /proc/vmstat for faults and pages. The rest
// comes from BPF programs that count in one entry per CPU: exact busy time, the time with so many
// CPUs busy, idle stretches by their length, wake-ups and migrations. They write no records and
// wake nobody; an entry is read when a window ends. All counts are of the whole machine.
//
// A window is the difference of two readings. Neither reading has text that a user could have
// written.
package activity
