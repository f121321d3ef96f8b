// Package entry says what a breakpoint (a uprobe) costs at a function's entry, by the first bytes
// of the function's code: some first instructions the kernel only emulates, others it has the
// thread execute alone, elsewhere, and stops it a second time.
package entry
