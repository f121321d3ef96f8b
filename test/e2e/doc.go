// Package e2e tests the built ebb on real programs: what it reports, what it passes on, what it
// says to bad input, and that nothing stays behind, however it ends. Most of it needs root, as ebb
// does.
package e2e
