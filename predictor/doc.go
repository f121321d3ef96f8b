// Package predictor predicts how long a program's work would have taken at another frequency.
//
// A Predictor takes synchronisation epochs in order (Add), each with the counters its threads
// advanced in it and the frequency it ran at, and predicts the duration of all of them together at
// any other frequency (Duration). It joins two things, each chosen by name:
//
//   - an estimator splits each thread's running time into a part that scales with the clock and a
//     part that does not (package nonscaling);
//   - a model says how the threads' predicted times fit together (package waiting).
//
// The models and estimators of DEP+BURST (Akram, Sartor, Eeckhout) are here as printed: m+crit,
// coop, dep with either kind of critical-thread prediction, each with and without BURST; stall
// time, leading loads and CRIT. Models, CriticalThreads and Estimators list all of them with their
// sections of the paper. The default, the model wake with the best estimator that the columns
// allow, is ebb's own. Package accuracy measures them all.
//
// # How far to believe it
//
// Every constant of the estimators and models is a latency of the machine (nonscaling.Latencies) or
// a bound with a reason; none is a program's. The rules were chosen with the errors on the recorded
// programs in sight, so those errors flatter them: programs of other kinds may fare worse. Package
// accuracy measures by how much: it chooses each constant anew from all programs but one and from
// random halves of them, and predicts the others. A rule that gains nothing there is not here, such
// as one by which a load's wait at the memory grew in proportion to the bandwidth in use. The queue
// at the memory changes little on those programs, which use no more than half of the bandwidth; it
// is here because its constants are documented, and because a program that saturates the memory is
// predicted to be a quarter too fast without it, on the simulated machine, whose physics are not
// these. A prediction's error bar (Interval) is as wide as the estimator's bracket, and as past
// predictions missed by (Observe).
package predictor
