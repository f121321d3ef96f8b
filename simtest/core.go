package simtest

import "github.com/ebb-energy/ebb/units"

// core is a processor core with the threads that wait for it.
type core struct {
	id     int
	online bool
	t      *Thread   // the thread that runs here; nil when idle
	last   *Thread   // the thread that ran here last, which is t while one runs
	queue  []*Thread // ready threads, the next one first; none of them is t

	// Accounts, for Usage and residence.
	left   units.Instant // time at which a thread of the program left it last; 0: none has
	since  units.Instant // start of the part of t's stay that busy does not count yet
	busy   units.Instant // time with a thread, up to since
	cycles float64       // cycles of the clock with a thread

	sliceEnd ps // time at which t must make way, if others wait

	// The segment in progress.
	fixed fixedCost
	rate  rates
	end   ps   // end of the segment at the present rate
	stale bool // fixed, rate and end must be computed anew before time advances

	store storeQueue

	// The slice in progress.
	sliceFrom units.Instant
	counted   [maxCounters]float64 // counts since the core started
	given     [maxCounters]uint64  // part of counted that closed slices reported
}
