// Package sensitivity has the file in which functions keep the share of their time that does not
// scale with the clock. It is recorded on a machine with counters (Recorder) and used on one
// without (Index).
//
// A function is known by its file's build id and its place in the file, so that a table of another
// build says nothing, and names are not needed. A method of Java has no such place: it is known by
// class, name and signature, and another build of its class goes by the same. The package is pure;
// a file from anybody is checked whole before it is used.
package sensitivity
