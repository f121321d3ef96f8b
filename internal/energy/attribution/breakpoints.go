package attribution

import (
	"slices"

	"github.com/ebb-energy/ebb/internal/stacks"
)

// breakpoints knows the samples that were held up by the kernel's return from a breakpoint of
// ebb's. No interrupt comes in that part of the return; one that is due comes at the program's next
// instruction, and would count as the program's work. The part is a tenth of a breakpoint's time.
type breakpoints struct {
	resumes map[uint64]bool // places within a page of the instructions behind breakpoints
	entries map[uint64]int  // number of samples there, by the kernel's outermost frame
	seen    map[uint64]bool // instructions there at which the kernel was entered
}

const (
	place      = 16   // of the instruction pointer among the registers
	inPage     = 4095 // a program's code has the same places within pages as its file
	maxEntries = 64
	maxSeen    = 1 << 12
)

// kernel returns the kernel's frames of a sample, the innermost first.
func (b *breakpoints) kernel(s *stacks.Sample) []uint64 {
	pc := s.Registers[place]
	if !b.resumes[pc&inPage] {
		return slices.Clone(s.Kernel)
	}
	if n := len(s.Kernel); n > 0 {
		if b.entries == nil {
			b.entries = map[uint64]int{}
		}
		if entry := s.Kernel[n-1]; len(b.entries) < maxEntries || b.entries[entry] > 0 {
			b.entries[entry]++
		}
		if b.seen == nil {
			b.seen = map[uint64]bool{}
		}
		if len(b.seen) < maxSeen {
			b.seen[pc] = true
		}
		return slices.Clone(s.Kernel)
	}
	if !b.seen[pc] { // other code has instructions at like places
		return nil
	}
	var entry uint64
	for e, n := range b.entries {
		if n > b.entries[entry] || n == b.entries[entry] && e > entry {
			entry = e
		}
	}
	if entry == 0 {
		return nil
	}
	return []uint64{entry}
}
