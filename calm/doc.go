// Package calm says whether a run under observation uses the machine as the same run alone does:
// Chappie's metric of calmness (definitions 3.1 to 3.5).
//
// A run leaves samples of which core ran at which frequency, at regular times: epochs. Two
// characterisations are made of them. TC, the temporal one, is at each epoch the share of cores at
// each frequency; SC, the spatial one, is how often m cores ran at a frequency f, for all m and f.
// A run is calm relative to a reference when
//
//	time      its number of epochs differs by less than 5 %
//	temporal  TC correlates with the reference's by more than 0.85 (Pearson)
//	spatial   SC does
//
// Frequencies are put into bins by the rule of Freedman and Diaconis, at most 21, over both runs.
// The runs' lengths differ a little; the observed one's epochs are stretched to the reference's (e'
// = e e0'/e0). Of several runs of a kind the cores count as so many more cores.
//
// Definition 3.3 makes of a run without frequencies nothing at all: then only the time says
// something.
package calm
