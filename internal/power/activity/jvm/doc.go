// Package jvm counts what happens in the Java machines of a target: how often an event began and
// ended, how many had begun and not ended, and how long. The events are the probes that a JVM's
// library carries (package epochs/usdt); those of VESTA, which power models use, are in VESTA.
//
// BPF programs at the probes add to one entry per CPU and event. They write no records and wake
// nobody; an entry is read when a window ends. Threads that are not the target's are not counted.
// A process of the target that begins a program is noticed, because it may have a JVM.
//
// Follow finds the Java machines of a target. The libraries that a command may load are attached to
// before it starts. A process that begins a program later, in a container or not, is probed some
// times, ever more rarely: a program loads its JVM when it likes. The sandbox alone reads what
// other users wrote: the lists of mappings, and the libraries.
//
// PerHit measures what a hit of a probe costs on this machine; MeasureSwitching what counting costs
// a program that says how far it is, with counting on and off in turn.
//
// The programs are for Linux 6.6, which attaches to all probes of a file at once.
package jvm
