// Package predictor says how long a program's work would have taken at another frequency.
//
// A Predictor is given synchronisation epochs in order (Add), each with the counters its threads
// advanced in it and the frequency it ran at, and predicts the duration of all of them together at
// any other frequency (Duration). An estimator splits each thread's running time into a part that
// scales with the clock and a part that does not; a model tells how the threads' predicted times
// fit together. The models and estimators of DEP+BURST (Akram, Sartor, Eeckhout) are here as
// printed: m+crit, coop, dep with either kind of critical-thread prediction, each with and without
// BURST; stall time, leading loads and CRIT. The default, the model wake with the best estimator
// the columns allow, is ebb's own. Package accuracy measures them all.
//
// Of every model but one holds: a higher frequency is never predicted to be slower (see the model
// dep for the exception), and at the frequency the work ran at, the prediction is the measured
// time. A stretch in which no thread ran does not scale.
//
// # Threads that wait for each other
//
// Algorithm 1 of the paper knows which thread went to sleep, not who woke it. It keeps one time for
// all threads, and lets a thread that sleeps forget how far it was ahead. The model wake instead
// keeps a clock for each thread: the predicted time up to which it has come. Running moves it on by
// the predicted time. An event moves it as its meaning is:
//
//   - A thread woken by another waited for it: its clock becomes at least its waker's. Where it is known when it was woken,
//     that is the waker's clock then, and the way from there to a CPU takes as long as it was measured to, while the waker runs
//     on. (Taken as the waker's running time it would scale: a program that wakes every 10 us was predicted 1 % too slow
//     from 4 to 2.5 GHz by that.)
//   - Who waits in a futex for no more than 50 us waits for a lock, and at another frequency at most twice as long: in the mean who comes to
//     a lock that is held waits for half of the time for which it is held. If a holder is predicted so much later that the wait
//     were longer, the thread comes before him.
//   - A new thread's clock begins at its creator's.
//   - Several threads woken by one are a barrier, whether at one instant or one after the other with nothing between: who
//     comes last may be another thread at another frequency, so all of them, the waker too, leave at the latest clock. While
//     other threads run beside it is not a barrier but several wakes: who hands on work tells the next that there is some and
//     the one before that there is room.
//   - A thread that slept for a device or a timer (or was woken from outside) slept as long as it was measured to, unless
//     it then waited for a CPU: that ended last, and how much of the time before was sleep the epochs do not tell.
//   - A preempted thread that runs again follows the thread whose CPU it took over.
//   - So does a new or a woken one that comes to a CPU at the instant at which another leaves it. It had been ready and
//     waited its turn: what passed since it was woken is the running time of others, and scales as theirs. Its clock becomes
//     at least that of the one before it on the CPU, and its waker's.
//   - Where wakers are never told, a thread that slept in a futex waited for the latest of those that ran, as in
//     Algorithm 1. Where they are, one that nobody woke slept until its time was over.
//
// The prediction is the latest clock. All of it are sums and maxima of times that fall when the
// frequency rises, so that the prediction does. At the base frequency every clock shows the
// measured time. A thread's time is only summed up while nothing concerns it; a prediction costs
// one step per event, however many threads run beside.
//
// What this can not know is the order of who comes first at a lock, and waits there that did not
// happen at the base frequency: with more time in locks for less time between them, as a higher
// frequency brings where critical sections wait for memory, it predicts too little waiting. Nor
// does it know how long a thread had slept that then waited for a CPU, or when a CPU that is free
// earlier or later would have been given to another: a program that shares CPUs and serves what
// comes at fixed times, at each frequency the same, is predicted to follow the clock more than it
// does.
//
// # What does not scale
//
// The core, its first two caches and what they do run at the core's clock. The shared cache, the
// interconnect and the memory do not. Time spent in the second does not scale. The estimator
// "offcore" adds up five parts of it:
//
// Loads. The critical path through the misses (CRIT), counted only from when a request leaves the
// core's clock domain until the response comes back. CRIT's full latency also has the look-ups in
// the core's caches, which scale.
//
// Lines from other cores. A line that another core has in its cache is fetched there, by a look-up
// in that core's caches: in the core's clock. Such a transfer takes 1.5 ns and 11.5 core cycles, a
// hit in the shared cache 18.7 ns and none. Both leave the core's domain and neither goes to
// memory, so no counter tells one from the other. But each begins with one look-up of known length
// (14.7 cycles), and the counters with and without it differ by just these: that gives their
// number, their time divided by it the mean latency, and that how many were of either kind. With n
// accesses of together time T, n s - T = m (s - t) where m are transfers of time t each and s is a
// hit's time; m times 11.5 cycles scales. This is linear in what is counted, so it may be taken row
// by row.
//
// Instruction fetch. The reorder buffer is empty while instructions come from memory, but also
// after a mispredicted branch and when a full store queue blocks renaming. The second scales and is
// bounded (0.3 cycles per instruction are 20 mispredictions in a thousand, 15 cycles each), the
// third is counted. What is beyond both does not scale. It is most of the time of a program's first
// microseconds.
//
// Fences. An instruction that waits for the store queue to drain, with a store outstanding beyond
// the core's domain. As far as the stores were not for memory, they are of the same two kinds as
// loads, and in the same mix.
//
// Stores: below.
//
// "critical" makes do with six counters: the first part with what of it goes to memory, and the
// third, where the time is counted in which an instruction fetch is outstanding beyond the core's
// clock domain (processors count it too: Intel's
// OFFCORE_REQUESTS_OUTSTANDING.CYCLES_WITH_DEMAND_CODE_RD). Little can be done meanwhile, so all of
// it is taken to be waited for.
//
// Real processors have neither CRIT nor these parts. The estimators "counters" (live) and "bracket"
// (a simulator's columns) use what they do have: lo, the time stalled with a load outstanding
// beyond the core's domain; hi, the time in which one was outstanding; the truth is between. Stall
// time contains the core's own look-ups and can exceed hi, so lo is the lesser of both. A load to
// memory outlasts what the core can do beside it, so lo is no less than the time in which one is
// outstanding, where that is counted. Where outstanding loads to memory are counted as well, the
// remainder is on the chip, and without a way to tell transfers from hits half of the accesses are
// taken to be of either kind. The place a in the bracket is the middle until the governor has learned
// better.
//
// # Store bursts
//
// BURST adds the time in which the store queue is full. But a full queue need not hold the core up,
// and may drain into the core's own caches: what does not scale is the time in which a store finds
// no entry while one is outstanding beyond the core's clock domain. Call it B, and R all the time
// with such a store outstanding. In R-B the core computed while stores drained. At r = base/f times
// the cycle time,
//
//	a burst that fills the queue takes    max((R-B) r + B/2, R)  the longer of computing and draining
//	a single store, waited for at times   (R-B) r + B            one after the other
//
// (at r = 1 both are R). The B/2: however slow the core is, stores that come close together fill
// the queue, and no counter tells how close they come, so half of the waiting is taken to stay
// (Machine.EvenStores). How much of R is of the first kind, B/R tells: the share of the draining
// that was waited for. So the time of a stretch of length D, with the non-scaling time N of all but
// stores, is
//
//	T(r) = (D-N-R) r + N + B/R max((R-B) r + B/2, R) + (1-B/R) ((R-B) r + B)
//
// and, since draining takes R however fast the core is, never less than R for r < 1. Stores that
// drain strictly one at a time have a look-up in the core's clock each, which scales; with k in
// flight, k being their number times a store's latency over the time, all but 1/k of it hides
// behind the others. The formula is convex and rises with r.
//
// # Others at the memory
//
// When all threads go faster the memory is asked for more in the same time, and a thread waits
// longer for its turn. Where the lines that the memory moved are counted (the columns dram_rd and
// dram_wr of a simulator or a memory controller), this is reckoned with. At its peak the memory
// needs the time B for the lines of a stretch, which takes D at the base. In the time T its use is
// U = B/T, and an access waits for q U/(1-U) in a queue with one server, q being half the time of a
// line if each takes as long, and all of it if their times vary as much as those of random events.
// Memories are not the first: a line of an open row comes at once, one of another row later, and
// reads wait for writes. The recorded programs hardly tell: at a factor of four errors are 3.24 and
// 1.84 % with the second, 3.34 and 1.86 with the first, 3.45 and 1.91 without, and in the stricter
// order of stores 2.75 and 2.27, 2.73 and 2.07, 2.67 and 1.85. So q is the time of a line. With mem
// the time that the thread waited for memory, and L the mean wait of an access, the stretch that
// would take b if memory answered as fast as at the base takes
//
//	T = b + c (B/(T-B) - B/(D-B)),  c = mem q/L,  L = MemoryNs + q B/(D-B)
//
// (at the base b = D, and T = D). Solved for T it is a hyperbola: the larger of b and B, with the
// corner rounded off. It rises with b and is convex. Of the time B that the memory was busy a
// thread has its part only as far as it waits for memory as much as the others do.
//
// That is for an epoch. Where threads make bursts of requests, as those do that zero what they
// allocate, the bursts of two meet the more often the faster the work between them is done, and no
// epoch shows that. So a governor that is told what the memory moved, and how fast it can, has the
// equation solved for its quantum as a whole instead (Share): lusearch, simulated, was predicted 2
// % too short without, and is within 0.2 % with it.
//
// # How far to believe it
//
// Every constant above is a latency of the machine (Machine) or a bound with a reason; none is a
// program's. The rules were chosen with the errors on the recorded programs in sight, so those
// errors flatter them: programs of other kinds may fare worse. Package accuracy measures by how
// much: it chooses each constant anew from all programs but one and from random halves of them, and
// predicts the others. A rule that gains nothing there is not here, such as one by which a load's
// wait at the memory grew in proportion to the bandwidth in use. The queue at the memory changes
// little on those programs, which use no more than half of the bandwidth; it is here because its
// constants are documented, and because a program that saturates the memory is predicted to be a
// quarter too fast without it, on the simulated machine, whose physics are not these. A
// prediction's error bar (Interval) is as wide as the estimator's bracket, and as past predictions
// missed by (Observe).
package predictor
