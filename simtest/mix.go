package simtest

// Mix is the character of a stretch of code. Rates are per 1000 instructions. They count what
// leaves the core's own caches (L1 and L2) if the thread has the shared cache to itself.
type Mix struct {
	Name string

	// CPI is core cycles per instruction if all data are in the core's own caches.
	CPI float64
	// L3 loads hit the shared cache, Memory loads go to memory, Transfers find their line in
	// another core's cache.
	L3, Memory, Transfers float64
	// Fetch are instruction fetches that hit the shared cache.
	Fetch float64
	// Stores are store instructions, of which StoreMisses write a line that has to come from memory
	// first. A line's write-back follows each of them.
	Stores, StoreMisses float64

	// Parallel is the mean number of load misses that the core has in flight together, as a group;
	// 0 means 1.
	Parallel float64
	// Dependent is the share of a group's later misses that need the one before: at 0 they overlap,
	// at 1 they form a chain.
	Dependent float64
	// Ahead is the mean number of independent instructions that the core finds while a group of
	// misses is outstanding. A pointer chase has few. At most half the reorder buffer, for which 0
	// stands.
	Ahead float64
	// Pressure is the share of L3 loads that become Memory loads if all other cores are busy.
	Pressure float64
	// Spread is the relative standard deviation of the miss rates from one call of Run to the next,
	// at most 1.
	Spread float64
}

// spinMix is a loop of pause instructions that reads a lock word.
var spinMix = Mix{Name: "spin", CPI: 8}
