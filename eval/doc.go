// Package eval repeats the evaluation of DEP+BURST (sections 5 and 6, Figures 2 to 14) on the
// simulated machine, and adds to it what the paper leaves open: the kernel's governors as
// baselines, machines whose clocks follow as slowly as real ones, and how much of what any schedule
// could save the governor does save.
//
// A figure is a list of runs it needs and a function from their results to rows, drawings and
// tables. Runs are values (Spec) and are made once, whoever needs them. All of it is a function of
// the settings: the same seed gives the same bytes, on however many processors.
//
// Three things stand side by side wherever they can: the number that the paper's text states, the
// paper's controller as printed on this machine, and ebb's own.
package eval
