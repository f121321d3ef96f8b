// Package launcher starts other people's programs from a process that is in a shelter (package
// shelter), in the cgroups that the process was in before. Another user can write these: who is in
// one can be frozen at any moment. So no process that has anything of this one's, and none that it
// waits for without an end, may be there.
//
// A launcher is a process of the same executable. It begins in the shelter with the program's
// descriptors and two more. It joins the cgroups, becomes the program's user, says that it is about
// to execute the program, and executes it. The caller waits for that as long as it likes.
package launcher
