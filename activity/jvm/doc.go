// Package jvm counts what happens in the Java machines of a target: how often an event began and
// ended, how many had begun and not ended, and how long. The events are the probes that a JVM's
// library carries (package epochs/usdt); those of VESTA, which power models use, are in VESTA.
//
// BPF programs at the probes add to one entry per CPU and event. They write no records and wake
// nobody; an entry is read when a window ends. Threads that are not the target's are not counted.
// A process of the target that begins a program is noticed, because it may have a JVM.
//
// The programs are for Linux 6.6, which attaches to all probes of a file at once.
package jvm
