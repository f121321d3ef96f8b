// Package safefile reads, writes and removes files whose names or contents come from others. ebb
// mostly runs as root, and a name that a user gave must lead to nothing that the user could not
// reach.
//
// # Reading
//
// Open and ReadFile are for files that a user names: they are bounded, opening them waits for
// nobody, and a pipe that says nothing is given up. OpenRegular is for files that another user may
// have put in the place: regular files only, each once and without following links. It and
// OpenMapping also refuse files where a read can stall for as long as another user likes. Opening
// and checking can block while a file system answers: a caller that must not block uses a process
// that can be abandoned.
//
// # Writing
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
//
// # Removing
//
// Leftovers removes the files that programs leave in a shared directory because ebb asked them to,
// as Java's perf maps in /tmp, and no others.
package safefile
