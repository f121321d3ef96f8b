package simtest

import "github.com/ebb-energy/ebb/units"

// core is a processor core with the threads that wait for it.
type core struct {
	id     int
	online bool
	t      *Thread   // that runs; nil when idle
	last   *Thread   // that ran last
	queue  []*Thread // that wait for it

	since    units.Instant // when t came, for Usage and residence
	busy     units.Instant // ns with a thread, up to since
	cycles   float64
	sliceEnd ps // when t has to let others run, if there are any

	// Of the segment in progress.
	fixed fixedCost
	rate  rates
	end   ps // when it is done at the present rate
	stale bool

	store storeQueue

	// Of the slice in progress.
	sliceFrom units.Instant
	counted   [maxCounters]float64
	given     [maxCounters]uint64
}
