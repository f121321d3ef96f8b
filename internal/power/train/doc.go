// Package train measures how a machine's power depends on what its kernel counts, and makes a power
// model of it: it runs programs beside a meter, cuts the time into intervals, drops those that
// other programs disturbed, and keeps the rest as a data set.
//
// An interval has its power (W), its inputs (package activity) and the program that ran. The data
// set is a CSV file that powermodel.ReadCSV reads; its first line is a comment with where it comes
// from, in JSON. It is on disk after every program, so that an interruption loses one program at
// most.
//
// The programs that it runs are processes of ebb's own binary (RunProgram). Each loads the machine
// in its own way, so that a model learns how kinds of work differ: how many CPUs are busy, how
// often they switch, what memory does. A program works on one CPU, then on half of them, then on
// all, each for a third of its time.
//
// The meter is RAPL, one of the hwmon class, or a wall meter that another program logs: then the
// power is filled in at the end, by time.
package train
