// Package eval repeats the evaluation of DEP+BURST (sections 5 and 6, Figures 2 to 14) on the
// simulated machine. It adds what the paper leaves open: the kernel's governors as baselines,
// machines whose clocks follow as slowly as real ones, and the share of the possible savings that
// the governor reaches.
//
// Figure N of the paper is in figureN.go, or in the file whose name has N in its range; ebb's own
// figures are in own_*.go. paper.go has the figures that the paper's text states.
//
// A figure is a list of the runs that it needs, and a function from their results to rows, drawings
// and tables. Runs are values (Spec), and each is made once for all figures. Everything is a
// function of the settings: the same seed gives the same bytes, on any number of processors.
//
// Where they can, three things stand side by side: the number in the paper's text, the paper's
// controller as printed on this machine, and ebb's own.
package eval
