// Package epochs cuts a program's execution into synchronisation epochs: stretches between which
// threads go to sleep, begin to run, are preempted or end (DEP+BURST, section 3.2).
//
// Events report what the scheduler did. A Reorder puts those of several CPUs into the order of
// time; an Assembler makes Epochs of them. Both are values that read no clock and do no I/O: the
// same events give the same epochs.
//
//	tracer -> Event -> Reorder -> Assembler -> Epoch -> predictor
//
// Package epochs/table writes epochs to a file and reads them back, from a tracer or a simulator.
package epochs
