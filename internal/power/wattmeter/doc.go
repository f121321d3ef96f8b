// Package wattmeter says what a machine's sources of power are worth: which one a run takes, and
// what the readings say of one that shows the whole machine.
//
// The sources, the best first, are the rungs of a ladder:
//
//	meter               of this machine's processors
//	hypervisor's meter  powercap inside a guest, or a tree that the host shares
//	machine's meter     a sensor of the whole machine, or a log of its plug; first if named
//	battery             that feeds the machine, by what it holds at begin and end
//	trained model       ebb train made it on a machine of the same kind
//	spec table          mean servers of this microarchitecture, an interval
//	thermal design power  the processor's, an interval from nothing up to it
//
// The first four measure. A trained model predicts, with an interval. From the spec table down
// there is an interval and no point: the machine draws something between idle and full load.
//
// A meter of the whole machine, such as a plug or a power supply that another program logs, a
// sensor or a battery, shows a power now and then, late and in steps, unlike RAPL, which counts
// energy in small ones. So energy is the mean over the covered time, and the readings themselves
// show how often and in which steps they change. How late they come shows where the load changes.
package wattmeter
