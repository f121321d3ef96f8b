// Package qualify says whether ebb can be believed on a machine: what eight steps found there, in a
// form that goes with a bug report, and what follows from it. docs/qualify.md has how to read it.
//
// The package is pure. Package internal/app/qualify/host makes the findings,
// internal/app/pages shows them. A result may come from anybody: Read checks it, and the
// verdict is made anew from its steps.
package qualify
