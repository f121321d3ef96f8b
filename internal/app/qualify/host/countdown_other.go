//go:build !amd64 && !arm64

package host

// Instructions is the number of instructions of a unit of Compute's work; 0 where unknown.
const Instructions = 0

func countdown(n uint64) {
	x := n
	for ; n > 0; n-- {
		x = x*0x9e3779b97f4a7c15 + 1
	}
	keptMemory.Store(x)
}
