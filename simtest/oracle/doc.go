// Package oracle finds out how little energy a program could have taken: with one frequency for the
// whole run (Static-Opt), and with the best frequency for each quantum of it (the dynamic oracle).
// Both know the future, so no governor has to reach them; how far one comes is what Share says.
//
// # The dynamic oracle
//
// A Sweep has the program's runs at every state of the machine. Each run notes when and with how
// much energy it had done how much work, so the runs can be laid side by side: the run at the
// highest frequency is cut into quanta, and each quantum's work, a chunk, has a time and an energy
// at each state. Solve picks a state per chunk with the least energy whose times add up to no more
// than the budget allows. What it costs to change the state is part of the choice: the time that a
// request takes to have an effect, during which the chunk runs at the old state, and the time that
// the clock stands still. Requests are made where chunks begin, as a governor's are at the ends of
// quanta.
//
// Two numbers come with a plan: its cost by the table, and the Lagrangian dual, below which no
// schedule of the table costs. They differ by a few hundred-thousandths on programs of some hundred
// quanta.
//
// # What adds up and what does not
//
// That times and energies of chunks add up is an assumption. A chunk's entry for a state was
// measured in a run that was at that state from its beginning, so everything that carries over from
// chunk to chunk is that run's:
//
//   - which threads hold which lock, take which piece of work and share which core depends on all that went before;
//   - work is counted over all threads, and at another frequency another thread may be ahead: a chunk is an amount of
//     work, not the same instructions;
//   - requests that arrive by the clock, timers and devices find another part of the program;
//   - the processor's temperature, and with it its leakage, follows from the power of the chunks before;
//   - where a change falls on the grid on which a machine looks at requests is not known; the plan takes the mean.
//
// Most of this is chance: a chunk is quick at one of 25 states and slow at the next. A plan by the
// table as measured finds all that luck, and none of it comes again: on the paper's programs such
// plans took up to 10 % longer than planned, and promised savings at a budget of nothing. So plans
// are made by smoothed tables (see smooth), several of them, and each plan is played on the machine
// (simtest.Scheduled). What counts is the energy that it takes there. The best ones are planned
// again for a deadline that is off by what the machine missed, until the run fits and leaves little
// of the budget. The result has both, planned and played: with the smoothed tables the times differ
// by less than 0.1 % on most of these programs and by up to 1 % where threads steal each other's
// work.
//
// The oracle's result is thus the best schedule found, not a proof: the dual bounds the table's
// schedules, not the machine's. Runs within the chance of one run to the next (some tenths of a
// percent where threads compete for work) are not to be told apart.
package oracle
