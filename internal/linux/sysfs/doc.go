// Package sysfs reads and writes the kernel's attribute files below one root directory, usually
// /sys.
//
// A path is relative to the root and never leaves it: sysfs's own relative links are followed, a
// link that points outside is refused (os.Root). Only regular files are read or written, they are
// never created and never truncated, so that a misspelt name is an error on a test's tree as it is
// on the kernel's.
//
// Errors distinguish three cases, by errors.Is: ErrAbsent, ErrRefused and ErrMalformed. The
// system's own error number stays in the chain.
//
// A Layout says which CPUs a machine has and how they nest: CPUs in cores, cores in packages, and
// across them the frequency domains, whose CPUs have one clock request in common
// (Documentation/admin-guide/cputopology.rst and, for the domains, pm/cpufreq.rst beside it).
//
// The kernel document is Documentation/filesystems/sysfs.rst: one value a file, a read at offset 0
// asks the driver anew, a write hands over the whole value in one call.
package sysfs
