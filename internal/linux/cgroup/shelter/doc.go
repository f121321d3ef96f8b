// Package shelter keeps this process, and those that it starts, out of cgroups that another user
// can write. Whoever writes a cgroup can end, stop or starve all that is in it at once: by
// cgroup.kill and cgroup.freeze of version 2, the freezer of version 1, or a limit that leaves
// nearly no CPU time.
//
// A process belongs to a cgroup with all its threads, so what the package knows is the process's.
package shelter
