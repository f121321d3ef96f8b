// Package qualify says whether ebb can be believed on a machine. It has the findings of eight
// steps, in a form that goes with a bug report, and draws the conclusions from them.
// docs/qualify.md explains how to read it.
//
// The package is pure. Package internal/app/qualify/host makes the findings,
// internal/app/pages shows them. A result may come from anybody: Read checks it, and the
// verdict is made anew from its steps.
package qualify
