// Package waiting has what all models of waiting share, and ebb's own model, Wake. Work holds the
// epochs' rows in columns, Model is the interface of a model. An estimator (package nonscaling) has
// split each thread's running time; a model says how the threads' predicted times fit together.
// Package predictor has the models of DEP+BURST.
//
// Two things hold for every model. A higher frequency is never predicted to be slower; the only
// exception is the paper's across. And at the frequency the work ran at, the prediction is the
// measured time. A stretch in which no thread ran does not scale.
//
// # Threads that wait for each other
//
// Algorithm 1 of the paper knows which thread went to sleep, not which one woke it. It keeps one
// time for all threads, and a thread that sleeps loses its lead. Wake instead keeps a clock for
// each thread: the predicted time up to which it has come. Running moves the clock on by the
// predicted time. An event moves it by its meaning:
//
//   - A thread woken by another waited for it: its clock becomes at least its waker's. Where the
//     time of the wake is known, that is the waker's clock then. The way from there to a CPU takes
//     as long as measured, while the waker runs on. (Taken as the waker's running time it would
//     scale: a program that wakes every 10 us was then predicted 1 % too slow from 4 to 2.5 GHz.)
//   - A thread that waits in a futex for no more than 50 us waits for a lock, and at another
//     frequency at most twice as long: the mean wait for a lock that is held is half of the time
//     for which it is held. If a holder is predicted so much later that the wait were longer, the
//     thread comes before the holder. Where the time of the wake is not known that holds at a
//     lower clock only: at a higher one there are waits that the base does not show.
//   - A new thread's clock begins at its creator's.
//   - Several threads woken by one are a barrier, whether at one instant or one after the other
//     with nothing between. At another frequency another thread may come last, so all of them, the
//     waker included, leave at the latest clock. While other threads run beside, it is not a
//     barrier but several wakes: a thread that hands on work wakes the next for the work and the
//     one before for the room. Nor is it one if a thread that took part is left asleep
//     (wakemeetings.go).
//   - A thread that slept for a device or a timer (or was woken from outside) slept as long as
//     measured, unless it then waited for a CPU: that ended last, and the epochs do not say how
//     much of the time before was sleep. If others had that CPU, they had taken it from a thread of
//     the program, and it follows that one.
//   - A preempted thread that runs again follows the thread whose CPU it took over. If that was
//     none of the program's, or if a quota kept the thread from running, its wait grows with its
//     own running time (wakewaits.go). If others came after a thread of the program, it waited for
//     that one's turn, and then as that one does for the others. If the thread before it sleeps, it
//     waits for the one that has that CPU then (waketurns.go).
//   - So does a new or a woken one that comes to a CPU at the instant at which another leaves it.
//     It was ready and waited its turn: the time since its wake is the running time of others, and
//     scales as theirs. Its clock becomes at least that of the one before it on the CPU, and its
//     waker's.
//   - Where wakers are never known, a thread that slept in a futex waited for the latest of those
//     that ran, as in Algorithm 1. Where they are, one that nobody woke slept until its time was
//     over.
//
// The prediction is the latest clock. It consists of sums and maxima of times that fall when the
// frequency rises, so that the prediction falls as well. At the base frequency every clock shows
// the measured time. A thread's time is only summed up while nothing concerns it; a prediction
// costs one step per event, however many threads run beside.
//
// This cannot know the order in which threads would come to a lock, and the waits there that did
// not happen at the base frequency. A higher frequency brings more time in locks for less time
// between them where critical sections wait for memory; there the model predicts too little
// waiting. Nor does it know how long a thread had slept that then waited for a CPU, or when a CPU
// that is free earlier or later would have been given to another: a program that shares CPUs and
// serves what comes at fixed times, at each frequency the same, is predicted to follow the clock
// more than it does.
package waiting
