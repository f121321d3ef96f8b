// Package oracle finds the least energy that a program could have taken with the best frequency for
// each of its quanta (the dynamic oracle). The oracle knows the future, so no governor has to reach
// it; eval reports the share of its saving that governors reach.
//
// # The dynamic oracle
//
// A Sweep has the program's runs at every state of the machine. Each run notes the time and the
// energy of its progress by work, so runs can be laid side by side. The run at the highest
// frequency is cut into quanta, and each quantum's work, a chunk, has a time and an energy at each
// state. Solve picks a state per chunk, with the least energy whose times fit into the budget. The
// cost of changing the state is part of the choice: the time until a request takes effect, during
// which the chunk runs at the old state, and the time during which the clock stands still. Requests
// are made where chunks begin, as a governor makes them at the ends of quanta.
//
// A plan has two numbers: its cost by the table, and the Lagrangian dual, a lower bound for all
// schedules of the table. They differ by a few hundred-thousandths on programs of some hundred
// quanta.
//
// # What adds up and what does not
//
// The plan assumes that times and energies of chunks add up. A chunk's entry for a state was
// measured in a run that was at that state from its start, so everything that carries over from
// chunk to chunk is that run's:
//
//   - All that went before decides which threads hold which lock, take which piece of work and
//     share which core.
//   - Work is counted over all threads, and at another frequency another thread may be ahead: a
//     chunk is an amount of work, not the same instructions.
//   - Requests that arrive by the clock, timers and devices find another part of the program.
//   - The processor's temperature, and with it its leakage, follows the power of the chunks before.
//   - The place of a change on the machine's grid for requests is unknown; the plan takes the mean.
//
// Most of this is chance: a chunk is quick at one of 25 states and slow at the next. A plan from
// the measured table exploits that luck, which does not come again: on the paper's programs such
// plans took up to 10 % longer than planned, and promised savings at a budget of nothing. Plans
// therefore come from smoothed tables (see smooth), several of them, and each plan is run on the
// machine (simtest.Scheduled). The energy of that run counts. The best plans are made again for a
// corrected deadline until the run fits and leaves little of the budget. The result has both, plan
// and run. With the smoothed tables the times differ by less than 0.1 % on most of these programs,
// and by up to 1 % where threads steal each other's work.
//
// The oracle's result is thus the best schedule found, not a proof: the dual bounds the table's
// schedules, not the machine's. Runs within the chance of one run to the next (some tenths of a
// percent where threads compete for work) are not distinguishable.
package oracle
