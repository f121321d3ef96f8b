package settle

import "time"

const (
	// budget bounds the measurement where the clock follows.
	budget = 95 * time.Millisecond
	// window is the time over which one speed is measured: long enough for 1 % of resolution with a
	// counter, and short against the times that matter, which begin at 0.5 ms.
	window = 25 * time.Microsecond
	// learning is the wait for each steady speed; its last part is measured. Known ramps take 5 ms,
	// and 16 ms upwards, where the machine is already at its highest state.
	learning = 16 * time.Millisecond
	steady   = 4 * time.Millisecond
	// patient is the wait for each speed before a request is said to have no effect. Limits are
	// applied by a worker of the kernel's, which waits for a CPU as other programs do.
	patient = 250 * time.Millisecond
	// enough is the least number of windows of which a steady speed is the median. A window in
	// which another program or an interrupt had the CPU does not count.
	enough = 9
	// there is the number of windows in a row for which a speed has to hold: an interrupt makes a
	// window slow.
	there = 3
	// nearly is the share of the way to the new speed that counts as there. Processors under load
	// vary by a few percent.
	nearly = 0.9
	// blind is the longest window whose request counts: in a longer one another program had the
	// CPU, and the time of the change is unknown. Such requests count only when there are few
	// others.
	blind = 200 * time.Microsecond
	few   = 5
	// visible is a step between two steady speeds, relative to the lower, that cannot be noise.
	visible = 0.15
	// longest is the longest wait for one request, and most the largest number of requests.
	longest = 25 * time.Millisecond
	// hold bounds the time for which a speed must stay before the next request.
	hold = 6 * time.Millisecond
	most = 64
	// pause and stride spread requests over the grid that some parts change their clocks on (500 us
	// to 1 ms): what is left of stride times the golden ratio after whole milliseconds visits it
	// evenly.
	pause  = 200 * time.Microsecond
	stride = time.Millisecond
	golden = 0.6180339887498949
)
