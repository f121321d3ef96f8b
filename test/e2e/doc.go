// Package e2e tests the built ebb on real programs: its reports, the signals and statuses that it
// passes on, its answers to bad input, and that it leaves nothing behind, however it ends. Most
// tests need root, as ebb does.
package e2e
