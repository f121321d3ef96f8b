//go:build race

package hostile

// raced: the race detector takes terabytes of addresses, so that they are no bound of memory.
const raced = true
