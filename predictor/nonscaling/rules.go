package nonscaling

// Rules is a set of rules of the estimators and of the model wake. Leaving one out shows what it is
// worth.
type Rules uint16

const (
	// OverlappingStores: on a faster core the misses of stores overlap as far as the queue holds
	// them, so that the time of their draining is no lower bound.
	OverlappingStores Rules = 1 << iota
	// SecondCaches: where accesses that stay on the chip take longer than hits in the shared cache,
	// lines come from other cores' second caches.
	SecondCaches
	// WholeMeetings: a thread that wakes several meets them at a barrier only if no other takes
	// part.
	WholeMeetings
	// ShortWaits: where nobody knows how long a woken thread took to a CPU, a wait for a lock is
	// bounded at a lower clock, as it is where that is known.
	ShortWaits
	// SlowRows: a row whose accesses on the chip take longer than hits has none, whatever recent
	// ones took.
	SlowRows
	// InstructionFetch: the estimators from what real processors count add the time waited for
	// instructions, where that is counted.
	InstructionFetch
	// ThreeKinds: they take accesses that stay on the chip for one of three kinds, lines from
	// second caches being one, not for one of two.
	ThreeKinds
	// LeastLatency: the count of such accesses bounds their mean time from below.
	LeastLatency
	// LoneThread: while no second thread has run, no line comes from another core.
	LoneThread
	// BesideLoads: while a load is waited for beyond the core's clock domain, a full store queue
	// adds nothing to the wait.
	BesideLoads
	// OwnLimit: as often as the store queue is full while nothing drains beyond the core, the core
	// is its own limit while something does.
	OwnLimit
)

// Rule is a rule with its name, and the programs whose errors motivated it.
type Rule struct {
	Rules     Rules
	Name      string
	Motivated []string
}

// RuleList lists the rules. A rule's worth is to be judged on programs that did not motivate it.
func RuleList() []Rule {
	return []Rule{
		{OverlappingStores, "overlapping stores", []string{"logw", "msort", "bfs", "stages3"}},
		{SecondCaches, "second caches", []string{"kvstore"}},
		{WholeMeetings, "whole meetings", []string{"pipeline", "kvstore", "flip"}},
		{ShortWaits, "short waits", []string{"lockheavy", "spinpark", "text", "xalan"}},
		{SlowRows, "slow rows", []string{"logw"}},
		{InstructionFetch, "instruction fetch", []string{"flip", "sunflow", "text"}},
		{ThreeKinds, "three kinds", []string{"kvstore"}},
		{LeastLatency, "least latency", []string{"stages3"}},
		{LoneThread, "lone thread", nil},
		{BesideLoads, "beside loads", nil},
		{OwnLimit, "own limit", []string{"rt_alloc"}},
	}
}
