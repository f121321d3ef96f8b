package report

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// doubts adds up where the clock was not the one that the machine told.
type doubts struct {
	deaf, limited doubt
	insists       int // requests made again
	followed      int // times that this was enough
}

// doubt is for how long it was so.
type doubt struct {
	times         int
	since         units.Instant // of the one that lasts
	lasts         bool
	all           time.Duration
	counted, told units.Frequency // at the first
}

func (d *doubts) observe(a *governor.Action, at units.Instant) {
	switch a.Kind {
	case governor.Insist:
		d.insists++
	case governor.Unheeded:
		d.limited.end(at)
		d.deaf.begin(a, at)
	case governor.Limited:
		d.deaf.end(at)
		d.limited.begin(a, at)
	case governor.Heeded:
		if !d.deaf.lasts && !d.limited.lasts {
			d.followed++
		}
		d.deaf.end(at)
		d.limited.end(at)
	}
}

func (d *doubt) begin(a *governor.Action, at units.Instant) {
	if d.lasts {
		return
	}
	if d.times++; d.times == 1 {
		d.counted, d.told = a.Frequency, a.Reported
	}
	d.since, d.lasts = at, true
}

func (d *doubt) end(at units.Instant) {
	if d.lasts {
		d.all += time.Duration(at - d.since)
		d.lasts = false
	}
}

// warn says at the end what was found.
func (d *doubts) warn(r *Report, at units.Instant) {
	d.deaf.end(at)
	d.limited.end(at)
	if d.followed > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"requests were confirmed and had no effect, %s, by the counter of cycles; asked again, the clock followed, and the time lost was paid back as far as there was time",
			times(d.followed)))
	}
	if x := &d.deaf; x.times > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"for %v requests had no effect, though they were confirmed and made again %s: by the counter of cycles %v where the machine said %v",
			x.all.Round(time.Millisecond), times(d.insists), x.counted, x.told))
	}
	if x := &d.limited; x.times > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"for %v something limited the clock of which the machine said nothing: by the counter of cycles %v where it said %v. The budget was reckoned from what the limit left",
			x.all.Round(time.Millisecond), x.counted, x.told))
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
