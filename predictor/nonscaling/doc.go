// Package nonscaling finds the part of a thread's running time that does not scale with frequency.
// An Estimator splits the time of each row of an epoch by its counters (Parts); a Line is the time
// of a stretch of one thread as a function of frequency. Estimators has ebb's own; package
// predictor those that DEP+BURST describes.
//
// # What does not scale
//
// The core, its first two caches and what they do run at the core's clock. The shared cache, the
// interconnect and the memory do not. Time spent in the second does not scale. The estimator
// "offcore" adds up five parts of it:
//
// Loads. The critical path through the misses (CRIT), counted only from when a request leaves the
// core's clock domain until the response comes back. CRIT's full latency also has the lookups in
// the core's caches, which scale.
//
// Lines from other cores. A line that another core has in its cache is fetched there, by a lookup
// in that core's caches: in the core's clock. Such a transfer takes 1.5 ns and 11.5 core cycles, a
// hit in the shared cache 18.7 ns and none. Both leave the core's domain and neither goes to
// memory, so no counter distinguishes them. But each begins with one lookup of known length (14.7
// cycles), and the counters with and without it differ by just these: that gives their number.
// Their time divided by the number is the mean latency, from which follows the number of either
// kind. With n accesses of together time T, n s - T = m (s - t) where m are transfers of time t
// each and s is a hit's time; m times 11.5 cycles scales. This is linear in what is counted, so it
// may be taken row by row.
//
// Lines from second caches. A core answers from its second cache in 3.6 ns and 20.2 cycles. At a
// low clock that is slower than a hit, and nothing else is. So where recent accesses were slower
// than hits in the mean, they are a mixture of hits and such lines. Where they were not, a row that
// is slower than hits still has none: its accesses are such lines, or wait in turn for a line that
// several cores want.
//
// A lone thread. While no second thread has run, no other core has a line of the program, and all
// accesses that stay on the chip are hits.
//
// Instruction fetch. The reorder buffer is empty while instructions come from memory, but also
// after a mispredicted branch and when a full store queue blocks renaming. The second scales and is
// bounded (0.3 cycles per instruction are 20 mispredictions in a thousand, 15 cycles each), the
// third is counted. The time beyond both does not scale; it dominates a program's first
// microseconds.
//
// Fences. An instruction that waits for the store queue to drain, with a store outstanding beyond
// the core's domain. As far as the stores were not for memory, they are of the same two kinds as
// loads, and in the same mix.
//
// Stores: below.
//
// "critical" makes do with six counters: the first part, with its share that goes to memory, and
// the third, where the time is counted in which an instruction fetch is outstanding beyond the
// core's clock domain (processors count it too: Intel's
// OFFCORE_REQUESTS_OUTSTANDING.CYCLES_WITH_DEMAND_CODE_RD). Little can be done meanwhile, so this
// time is taken as waiting entirely.
//
// Real processors have neither CRIT nor these parts. The estimators "counters" (live) and "bracket"
// (a simulator's columns) use the counters that they have: lo, the time stalled with a load
// outstanding beyond the core's domain; hi, the time in which one was outstanding; the truth is
// between. Stall time contains the core's own lookups and can exceed hi, so lo is the lesser of
// both. A load to memory outlasts what the core can do beside it, so lo is no less than the time in
// which one is outstanding, where that is counted. The place a in the bracket is the middle until a
// correction.Corrector knows better.
//
// Where outstanding loads to memory are counted as well, the remainder is on the chip. No counter
// of these distinguishes hits in the shared cache from lines of other cores' first and second
// caches, so a third of the accesses are taken to be of each kind (half, where lines come as fast
// from either cache). If n loads were on the chip for the time T, T/n is the least that the mean of
// them can be: loads that overlap or wait for the same line share a time. The mean is then kept at
// the same place between T/n and the slowest kind as it had between the fastest and the slowest.
// At a high clock hits are by far the slowest, and a bound near them finds what does not scale.
//
// Waiting for instructions is added where a processor counts it: the time that the front end waits
// for instructions from beyond the core's domain, or that in which the reorder buffer is empty,
// less mispredictions and blocked renaming as above (starved).
//
// # Store bursts
//
// BURST adds the time in which the store queue is full. But a full queue need not hold the core up,
// and may drain into the core's own caches: what does not scale is the time in which a store finds
// no entry while one is outstanding beyond the core's clock domain. Call it B, and R all the time
// with such a store outstanding. In R-B the core computed while stores drained. At r = base/f times
// the cycle time,
//
//	a burst that fills the queue takes    max((R-B) r + B/2, R)  the longer of the two
//	a single store, waited for at times   (R-B) r + B            one after the other
//
// (at r = 1 both are R). The B/2: however slow the core is, stores that come close together fill
// the queue, and no counter says how close they come, so half of the waiting is taken to stay
// (Latencies.EvenStores). B/R, the share of the draining that was waited for, is the share of R of
// the first kind. So the time of a stretch of length D, with the non-scaling time N of all but
// stores, is
//
//	T(r) = (D-N-R) r + N + B/R max((R-B) r + B/2, R) + (1-B/R) ((R-B) r + B)
//
// and for r < 1 never less than the time in which the stores drain however fast the core is. The
// queue drains in order, and passes on as many stores during a miss as it holds. With S stores that
// miss L lines it needs min(L, S/32) times a miss's time, if it has 32 entries. S includes the
// stores that miss nothing, which no counter has: it is taken as an eighth of the instructions, and
// is at least the number of those that missed. L is that number over the stores of a line, which
// the lines that the memory reads for them show; without these it is eight of a register's width.
// The bound is not above R, nor below B, and B alone where stores are not counted.
//
// While the oldest instruction is a load that waits beyond the core's clock domain, a full queue
// adds nothing: that time is the load's already. So "offcore" takes B less the share of it that the
// full queue has beside such loads (besideLoads), as far as their time does not scale.
//
// A queue can also be full of stores that have not retired, behind work that takes long. Then the
// core is its own limit, and work hides behind nothing. "offcore" takes the smaller of two shares
// for the least time of that (ownLimit): how often the queue is full while no store is outstanding,
// and how often a full queue lets renaming go on. With this share w, the time with instructions in
// flight counts as waiting only for 1 - w, but for what refills the core after each line; and at r
// > 1 only 1 - w of the work in R-B hides behind the burst. At r < 1 all of it does as before: a
// faster core waits for more of its stores.
//
// Instructions that are in flight while the queue holds the core up may be work, and then hide
// behind the stores at this clock and not at a lower one. No counter says it. So an interval, and
// no prediction, takes that part of B both ways (HiddenWork).
//
// Stores that drain strictly one at a time have a lookup in the core's clock each, which scales;
// with k in flight, k being their number times a store's latency over the time, all but 1/k of it
// hides behind the others. The formula is convex and rises with r.
//
// # Others at the memory
//
// When all threads go faster the memory is asked for more in the same time, and a thread waits
// longer for its turn. Where the lines that the memory moved are counted (the columns dram_rd and
// dram_wr of a simulator or a memory controller), the estimate includes this contention. At its
// peak the memory needs the time B for the lines of a stretch, which takes D at the base. In the
// time T its use is U = B/T, and an access waits for q U/(1-U) in a queue with one server, where q
// is half the time of a line if each takes as long, and the whole time if their times vary as much
// as those of random events. Memories are not of the first kind: a line of an open row comes at
// once, one of another row later, and reads wait for writes. The recorded programs hardly
// distinguish the two: at a factor of four errors are 3.24 and 1.84 % with the second, 3.34 and
// 1.86 with the first, 3.45 and 1.91 without, and in the stricter order of stores 2.75 and 2.27,
// 2.73 and 2.07, 2.67 and 1.85. So q is the time of a line. With mem the time that the thread
// waited for memory, and L the mean wait of an access, the stretch that would take b if memory
// answered as fast as at the base takes
//
//	T = b + c (B/(T-B) - B/(D-B)),  c = mem q/L,  L = MemoryNs + q B/(D-B)
//
// (at the base b = D, and T = D). Solved for T it is a hyperbola: the larger of b and B, with the
// corner rounded off. It rises with b and is convex. Of the time B that the memory was busy a
// thread has its part only as far as it waits for memory as much as the others do.
//
// That is for an epoch. Where threads make bursts of requests, as those do that zero what they
// allocate, the bursts of two meet the more often the faster the work between them is done, and no
// epoch shows that. So a governor that knows what the memory moved, and how fast it can, has the
// equation solved for its quantum as a whole instead (predictor.Share): lusearch, simulated, was
// predicted 2 % too short without, and is within 0.2 % with it.
package nonscaling
