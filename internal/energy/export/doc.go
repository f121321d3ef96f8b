// Package export writes a profile in the formats that other tools read: pprof, folded stacks,
// speedscope, CSV.
//
// WriteStream writes the state of a run's stream as a page.
//
// Stacks are divided by the requested rule. Energies are in uJ, because tools take integers and
// show them as they are; nJ would fill the screen.
package export
