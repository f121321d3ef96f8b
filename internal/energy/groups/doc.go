// Package groups divides a machine's energy over groups of its programs: units, jobs, pods,
// machines. It is pure: it takes windows of CPU time by group and of what the meters counted, and
// returns amounts.
//
// For every zone, after every window,
//
//	attributed + others + idle + unattributed = measured
//
// in nJ. Others are kernel threads and programs in no group. Idle is the zone's energy with nothing
// to do. It is nobody's, unless a Share divides it; the parts are kept beside and change no other
// amount. Unattributed is the energy of windows in which its owners cannot be known: a meter
// failed, or the machine slept.
//
// # Confidence
//
// A group's CPU time is exact. The power that a second of its CPU time takes is not known, nor is
// the idle power until a window shows it. A group's interval covers both (see Spread).
//
// # Names
//
// A Name is the owner of a cgroup, by the cgroup's path: a job of Slurm, a pod, a container, a
// virtual machine, a session of a user, a unit of systemd. Paths are text that others wrote: a name
// is matched against fixed forms, from the root on, so that nobody can claim another's name from
// within a cgroup of their own. A path that fits no form stays whole, escaped and bounded.
package groups
