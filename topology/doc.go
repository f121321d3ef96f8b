// Package topology says which CPUs a machine has and how they nest: CPUs in cores, cores in
// packages, and across them the frequency domains, whose CPUs have one clock request in common.
//
// The kernel documents are Documentation/admin-guide/cputopology.rst and, for the domains,
// Documentation/admin-guide/pm/cpufreq.rst.
package topology
