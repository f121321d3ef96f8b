package saving

import "testing"

// BenchmarkAdd is the cost of the account for a quantum, comparisons included.
func BenchmarkAdd(b *testing.B) {
	m := newMachine(1.1)
	m.run(2000, true)
	for b.Loop() {
		m.run(1, true)
	}
}

// BenchmarkCompare is that of the quantum that ends a comparison, beyond what others cost.
func BenchmarkCompare(b *testing.B) {
	m := newMachine(1.1)
	m.run(2000, true)
	p := m.book.pairs
	for b.Loop() {
		p.done = nil
		p.keep()
	}
}
