package machine

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// doubted is the time for which a zone must show no more than it can draw before it is believed
// again.
const doubted = time.Minute

// judge watches whether a zone shows more power than it can.
type judge struct {
	most   units.Power
	since  units.Instant // begin of the second in progress; 0: none is
	before units.Energy  // reading at since
	until  units.Instant // end of the doubt
	why    string        // why the zone is not believed; "" where it is
}

// see takes a reading that was made between two times. The power over a second is the least that
// fits these times, because whoever reads may have to wait for a CPU. Broken says that the energy
// since the reading before is not that time's, as after a suspend.
func (j *judge) see(zone string, used units.Energy, from, to units.Instant, broken bool) {
	switch second := to.Sub(j.since); {
	case broken || j.since == 0:
		j.since, j.before = from, used
	case second >= time.Second:
		if power := (used - j.before).Over(second); power > j.most {
			j.why = fmt.Sprintf("%s showed %v, more than the %v that it can draw: the meter is "+
				"not believed until it has shown less for a minute", zone, power, j.most)
			j.until = to.Add(doubted)
		}
		j.since, j.before = from, used
	}
	if to >= j.until {
		j.why = ""
	}
}
