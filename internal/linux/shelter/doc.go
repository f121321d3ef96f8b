// Package shelter keeps this process, and those that it starts, out of cgroups that another user
// can write. Whoever writes a cgroup can end, stop or starve all that is in it at once: by
// cgroup.kill and cgroup.freeze of version 2, the freezer of version 1, or a limit that leaves
// nearly no CPU time.
//
// A process belongs to a cgroup with all its threads, so what the package knows is the process's.
//
// # Other people's programs
//
// A program that this process starts belongs in the cgroups that the process was in before. Another
// user can write these: who is in one can be frozen at any moment. So no process that has anything
// of this one's, and none that it waits for without an end, may be there. StartOutside starts the
// program through a launcher.
//
// A launcher is a process of the same executable. It begins in the shelter with the program's
// descriptors and two more. It joins the cgroups, becomes the program's user, says that it is about
// to execute the program, and executes it. The caller waits for that as long as it likes.
package shelter
