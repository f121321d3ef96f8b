// Package bench measures one program under every setting of a machine, with the confidence of each
// difference. Settings are each fixed frequency, the kernel's own governor as found, and ebb at
// each budget.
//
// A Session is one measurement: its flags, their check, the runs and what is written of them. Where
// the runs are made, on this machine or on a simulated one, is its caller's.
//
// # The runs
//
// A round runs every setting once, in an order drawn anew from the plan's seed, so that what drifts
// (temperature, page cache, other tenants) hits all settings alike and is shared by the runs of a
// round. Warm-up runs come first and count for nothing. Each finished run is a line of the journal,
// on disk before the next begins; a measurement that was interrupted goes on from there.
//
// # The intervals
//
// Slowdown and energy are ratios to the run at the highest frequency in the same round. Their
// logarithms, one per round, are taken as independent with one mean, and the interval is Student's
// t on them, taken back by exp: the pairing takes out the drift, the logarithm makes ratios
// symmetric and noise that multiplies additive. The tests measure the share of intervals that hold
// the truth, on synthetic runs with drift, with heavy tails and with few rounds. Each interval by
// itself has a confidence of 95 %: of twenty rows, expect one to miss.
//
// # The static optimum
//
// The state with the least mean energy within the budget is partly the one with the most luck: the
// rounds used for selection flatter the winner. So it is chosen from the odd rounds and measured on
// the even ones, and the other way round; its reported figures are means of held-out runs. Beside
// it stands the set of states that the runs cannot exclude as the optimum: a state is excluded only
// when it is surely over the budget, or when another, surely within it, surely takes less energy,
// with the chance of a wrong omission held to 5 % for all states together (Bonferroni).
package bench
