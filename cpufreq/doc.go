// Package cpufreq sets the clock of a machine's CPUs through the kernel's cpufreq attributes and
// leaves the machine as it found it.
//
// Open reads the frequency domains. Start chooses one of three actuators by probing and says why:
//
//   - setspeed: the userspace governor, and scaling_setspeed;
//   - clamp: scaling_min_freq = scaling_max_freq, for drivers that choose frequencies themselves;
//   - shadow: writes nothing, and has the states of a documented virtual processor.
//
// A frequency that was set is a request. The domain's Outcome has what became of the request, from
// reading the attribute back. Only a counter shows what the clock really did.
//
// # What is left behind
//
// Before the first write every control of every domain is written to a snapshot under the run
// directory, and before each write the snapshot notes which values the control may hold from now
// on. So whenever the process dies, Restore can distinguish three cases for each control: as it was
// found, left by us (put back), changed by another program (left alone, reported). A lock ensures
// that there is one writer.
//
// # What cannot be known
//
// scaling_min_freq and scaling_max_freq show the limits in effect, not the requests. So a limit
// that was read under a cap goes back as the cap had it; another program's raise of a minimum that
// ours covers cannot be seen; and when another program lowers both limits to the same value, the
// minimum is taken for ours, bent by the maximum. A change to a value that we wrote ourselves is
// taken for ours.
//
// # Other programs
//
// Two programs that set frequencies undo each other's work, and neither gets what it asked for.
// FindRivals finds power daemons, and schedulers that ask for frequencies themselves, by processes
// and attributes, which every Linux shows, without D-Bus: that works on servers, in containers and
// for every user, and starts no service.
//
// The kernel documents are Documentation/admin-guide/pm/cpufreq.rst, intel_pstate.rst and
// amd-pstate.rst.
package cpufreq
