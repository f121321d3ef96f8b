// Package perturbation finds the shortest period between two samples of a thread at which a program
// is calm: a run under observation uses the machine like the same run alone. It runs the program
// alone and under ebb run --methods in turn (Search), and compares the runs by Chappie's metric of
// calmness (definitions 3.1 to 3.5).
//
// A run leaves samples of each core's frequency at regular times: epochs. Two characterisations
// follow from them. TC, the temporal one, is the share of cores at each frequency, by epoch. SC,
// the spatial one, is the share of epochs in which m cores ran at a frequency f, for all m and f. A
// run is calm relative to a reference if
//
//	time      its number of epochs differs by less than 5 %
//	temporal  TC correlates with the reference's by more than 0.85 (Pearson)
//	spatial   SC does
//
// The rule of Freedman and Diaconis sorts the frequencies of both runs into at most 21 bins. The
// runs' lengths differ a little; the observed run's epochs are stretched to the reference's (e' =
// e e0'/e0). With several runs of a kind, the cores of each count as further cores.
//
// Definition 3.3 is empty for a run without frequencies: then only the time is compared.
package perturbation
