package workload

import "github.com/ebb-energy/ebb/simtest"

const (
	kib = 1 << 10
	mib = 1 << 20

	// block is the memory that a thread takes from the heap at a time, and has to zero: a block of
	// JikesRVM's Immix.
	block = 32 * kib
	// bound is JikesRVM's default bound of the nursery.
	bound = 32 * mib
)

const (
	// perByte is the number of instructions that it takes to find a byte that survives: some 120
	// for an object of 40 bytes, with its type's description, its mark and its forwarding pointer.
	perByte = 3
	// roots is for the static fields and the remembered set, stack for each thread's stack.
	roots = 80_000
	stack = 30_000
	// local is the memory that each thread allocates for itself, whatever its work: buffers,
	// caches, tables by thread. For this reason more threads allocate more for the same work (the
	// paper, section 5.3).
	local = mib
)

// runtime is the managed runtime under a program: a heap with its collector threads, and a thread
// that compiles the methods of a list as the program comes to need them. The paper measures second
// invocations with replay compilation, so there is little to compile, all of it at the start.
type runtime struct {
	heap   *simtest.Heap
	wanted *simtest.Semaphore
	asked  int // methods asked for so far
	length int // length of the list
}

// compile is the character of a compiler: large code, irregular data that mostly fits the shared
// cache.
var compile = simtest.Mix{Name: "compile", CPI: 1.1, L3: 7, Memory: 0.5, Fetch: 4, Stores: 110,
	StoreMisses: 0.8, Parallel: 1.4, Dependent: 0.4, Spread: 0.2}

// mark is the character of finding what survives: nearly every object of a nursery larger than the
// shared cache is a miss or two, the next known only when the one before has come.
var mark = simtest.Mix{Name: "mark", CPI: 0.65, L3: 4, Memory: 15, Stores: 40, StoreMisses: 0.5,
	Parallel: 1.6, Dependent: 0.8, Ahead: 16, Spread: 0.1}

// newRuntime makes a runtime whose list has so many methods. The collector has one thread for a
// program of one thread, otherwise two (the paper, section 5.3).
func newRuntime(b *simtest.Builder, c simtest.HeapConfig, methods int) *runtime {
	if c.TracePerByte == 0 {
		c.TracePerByte = perByte
	}
	c.RootInstructions = roots + int64(b.Threads())*stack
	c.Trace = &mark
	c.Collectors = 2
	if b.Threads() == 1 {
		c.Collectors = 1
	}
	r := &runtime{heap: b.Heap(c), wanted: b.Semaphore(0), length: methods}
	sizes := make([]int64, methods)
	for i := range sizes {
		sizes[i] = int64(250_000 * vary(b.Rand(), 0.8))
	}
	b.Thread("compiler", simtest.Compiler, func(t *simtest.Thread) {
		for _, n := range sizes {
			t.Down(r.wanted)
			t.Run(&compile, n)
		}
	})
	return r
}

// begin is the first thing that a thread does.
func (r *runtime) begin(t *simtest.Thread) { r.run(t, &compile, 200_000, local) }

// need asks for the next method of the list, if any is left. Threads call it as they begin a piece
// of work.
func (r *runtime) need(t *simtest.Thread) {
	if r.asked < r.length {
		r.asked++
		t.Up(r.wanted)
	}
}

// run retires instructions that allocate bytes, in blocks with equal stretches between.
func (r *runtime) run(t *simtest.Thread, mix *simtest.Mix, instructions, bytes int64) {
	n := max(1, (bytes+block-1)/block)
	for i := range n {
		if b := bytes*(i+1)/n - bytes*i/n; b > 0 {
			t.Alloc(r.heap, b)
		}
		t.Run(mix, instructions*(i+1)/n-instructions*i/n)
	}
}
