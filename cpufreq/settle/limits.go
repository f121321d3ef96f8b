package settle

import "time"

const (
	// Budget bounds the whole measurement.
	Budget = 95 * time.Millisecond
	// window is how long the CPU is watched for one speed: long enough for 1 % of resolution with a
	// counter, and short against the times that matter, which begin at 0.5 ms.
	window = 25 * time.Microsecond
	// learning is how long each steady speed is waited for, and the last part of it watched. Ramps
	// of 5 ms are known, and of 16 ms upwards, where the machine is already at its highest state.
	learning = 16 * time.Millisecond
	steady   = 4 * time.Millisecond
	// enough is how many windows a steady speed is the median of, at least: when another program or
	// an interrupt had the CPU, it takes longer.
	enough = 9
	// there is how many windows in a row a speed has to hold: an interrupt makes a window slow.
	there = 3
	// nearly is which part of the way to the new speed counts as there. Parts under load vary by a
	// few percent.
	nearly = 0.9
	// blind is how long a window may be for its request to count: in a longer one another program
	// had the CPU, and when the speed changed is not known. They count when there are no more than
	// a few others.
	blind = 200 * time.Microsecond
	few   = 5
	// visible is a step between two steady speeds, relative to the lower, that is told from noise
	// in any case.
	visible = 0.15
	// longest is how long one request is waited for, and most how many are made.
	longest = 25 * time.Millisecond
	// hold bounds how long a speed is watched for that it stays, before the next request.
	hold = 6 * time.Millisecond
	most = 64
	// pause and stride spread requests over the grid that some parts change their clocks on (500 us
	// to 1 ms): what is left of stride times the golden ratio after whole milliseconds visits it
	// evenly.
	pause  = 200 * time.Microsecond
	stride = time.Millisecond
	golden = 0.6180339887498949
)
