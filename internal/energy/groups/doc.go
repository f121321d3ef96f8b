// Package groups divides a machine's energy over groups of its programs: units, jobs, pods,
// machines. It is pure: windows of CPU time by group and of what the meters counted in, amounts
// out.
//
// For every zone, after every window,
//
//	attributed + others + idle + unattributed = measured
//
// in nJ. Others are kernel threads and programs in no group. Idle is the zone's energy with nothing
// to do: nobody's, unless a Share divides it, which is kept beside and changes no other amount.
// Unattributed is the energy of windows in which it cannot be known whose it was: a meter that
// failed, a machine that slept.
//
// # Confidence
//
// A group's CPU time is exact. How much power a second of its CPU time takes is not known, and nor
// is the idle power until a window shows it. A group's interval holds both (see Spread).
//
// # Names
//
// A Name says to whom a cgroup belongs, by its path: a job of Slurm, a pod, a container, a virtual
// machine, a session of a user, a unit of systemd. Paths are text that others wrote: a name is
// matched against fixed forms, from the root on, so that nobody can claim another's name from
// within a cgroup of their own. A path that fits no form stays whole, escaped and bounded.
package groups
