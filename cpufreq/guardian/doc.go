// Package guardian is a small process beside ebb that puts the machine's frequencies back when ebb
// cannot.
//
// Start runs ebb's own executable under a hidden subcommand, before ebb makes its run directory, so
// that whenever ebb is killed, somebody removes what it made. Before the first write the process
// gets the lock and the run directory, so that no other ebb comes between. It waits for three
// things:
//
//   - ebb says that it has put everything back itself: the guardian ends;
//   - its end of a socket closes, because ebb was killed, ran out of memory or panicked: the
//     guardian puts everything back by the snapshot, removes the snapshot and the lock, and ends;
//   - the kernel's programs say that ebb has not read what they wrote for too long (Watch): the
//     guardian marks a page that both have mapped, puts everything back, and goes on waiting. An
//     ebb that comes to again sees the mark and writes no more. Before ebb governs, a count in that
//     page that stands still says the same (Begin).
//
// It waits in poll(2), once ebb governs without a timeout, so nothing wakes it while ebb is well.
// It opens nothing by a name that others choose, and holds none of ebb's standard streams.
//
// A second process, the deputy, is started like it. It acts when ebb and every guardian have ended
// and something is left. They all hold one end of a pipe, and the deputy sees that end close. So
// one process is there while another is replaced, and whichever two are killed, the third puts
// everything back. An ebb that is left alone by both puts everything back itself, at once.
package guardian
