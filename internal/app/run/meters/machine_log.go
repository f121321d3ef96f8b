package meters

import (
	"context"
	"time"

	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/sandbox"
)

// logged reads the log up to the run's end, by the monotonic clock.
func (m *Machine) logged(ctx context.Context, from, to float64) (
	list []wattmeter.Reading, err error,
) {
	offset := m.offset.Seconds()
	end := time.Duration(m.end).Seconds() + offset
	list, err = sandbox.Log(ctx, m.log, from+offset, to+offset, end)
	for i := range list {
		list[i].At -= offset
	}
	return list, err
}
