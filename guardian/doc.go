// Package guardian is a small process beside ebb that puts the machine's frequencies back when ebb
// cannot.
//
// Start runs ebb's own executable under a hidden subcommand, before the first write to a control.
// The process inherits the lock and the run directory, so that no other ebb comes between, and
// waits for three things:
//
//   - ebb says that it has put everything back itself: the guardian ends;
//   - its end of a socket closes, because ebb was killed, ran out of memory or panicked: the
//     guardian puts everything back by the snapshot, removes the snapshot and the lock, and ends;
//   - the kernel's programs say that ebb has not read what they wrote for too long (Watch): the
//     guardian marks a page that both have mapped, puts everything back, and goes on waiting. An
//     ebb that comes to again sees the mark and writes no more.
//
// It waits in poll(2) without a timeout, so nothing wakes it while ebb is well. It opens nothing by
// a name that others choose, and holds none of ebb's standard streams.
package guardian
