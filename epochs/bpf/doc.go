// Package bpf traces the scheduling of one tree of processes, of a cgroup, or of several of both,
// in the kernel and delivers it as epochs.Events.
//
// A Tracer loads BPF programs on the scheduler's tracepoints. It follows a command from its first
// instruction (Launch) or a running process with its threads and descendants (Attach), and whatever
// these create; or the members of a cgroup, present and future (FollowCgroup). With Config.Tenants
// it follows several cgroups (Follow) and processes (AttachTenant), each for a tenant, which every
// event names. Programs that make no system call and do not sleep pay only for an occasional timer
// interrupt; threads outside the target pay a few ns a switch.
//
// Next delivers events when the kernel rings: at the end of each quantum in which the target ran,
// when the ring buffer fills, and when a process ends. Nothing polls, so an idle target costs no
// wake-up.
//
// Nothing is pinned: when the process that holds the Tracer ends, in whatever way, the kernel
// unloads everything.
package bpf
