package report

import (
	"fmt"

	"github.com/ebb-energy/ebb/governor"
)

// lineBytes is the size of one request to memory.
const lineBytes = 64

// traffic takes a reading of the memory controllers. The count begins at the first one.
func (o *Observer) traffic(ev *governor.Event) {
	if o.r.MemoryReadBytes == nil {
		o.moved = [2]uint64{ev.Reads, ev.Writes}
		o.r.MemoryReadBytes, o.r.MemoryWrittenBytes = new(uint64), new(uint64)
	}
	if ev.Reads >= o.moved[0] && ev.Writes >= o.moved[1] {
		*o.r.MemoryReadBytes = (ev.Reads - o.moved[0]) * lineBytes
		*o.r.MemoryWrittenBytes = (ev.Writes - o.moved[1]) * lineBytes
	}
}

// memoryLine prints how much memory moved, and the source of that.
func (r *Report) memoryLine(p func(name, format string, args ...any)) {
	switch {
	case r.MemoryReadBytes != nil:
		p("memory", "%s read, %s written by the whole machine (%s)", moved(*r.MemoryReadBytes),
			moved(*r.MemoryWrittenBytes), r.MemorySource)
	case r.MemorySource != "":
		p("memory", "only the program's own requests are counted, by the %s: %s", r.MemorySource,
			r.MemoryNote)
	}
}

// moved returns an amount of data, in the decimal units that bandwidths have.
func moved(bytes uint64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if v := float64(bytes); v >= u.size {
			return fmt.Sprintf("%.3g %s", v/u.size, u.name)
		}
	}
	return fmt.Sprintf("%d B", bytes)
}
