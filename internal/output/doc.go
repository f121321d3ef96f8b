// Package output writes the files that a user names. ebb mostly runs as root, and a name that a
// user gives may lie in a directory where another user can rename, remove and link. So there is one
// way to write:
//
//   - The directory is opened once, one component at a time (openat(2) with O_NOFOLLOW). A symbolic
//     link is followed by reading it, and only when root, ebb's own user or the user who called
//     sudo made it. Everything after that happens in the opened directory, whatever becomes of its
//     name.
//   - A file is written under no name (O_TMPFILE in open(2)), or beside its place under a name of
//     its own (O_EXCL), and takes its place by rename(2) when it is complete and on disk. After an
//     error the old file is unchanged. A link or a pipe that another user put in the place is
//     replaced and never followed or written.
//   - A new file has the mode that the umask leaves. One that takes the place of a file keeps its
//     mode and, for root, its owner, when that file is a user's own or belongs to the owner of the
//     directory.
//   - A device, a pipe and an inherited descriptor (/dev/stdout, /dev/fd/3) are written as they
//     are. A pipe without a reader is refused, and a reader that takes nothing is waited for only
//     so long.
//
// A directory that belongs to another user, or that others can write, is no reason to refuse:
// nothing outside it can be reached through it.
package output
