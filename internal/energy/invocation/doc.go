// Package invocation gives single invocations of functions their part of their threads' energy, and
// adds them up by function. Its figures are inclusive: an invocation has what the functions have
// that it called in its thread. So they overlap, and no ledger has them.
package invocation
