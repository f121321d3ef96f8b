package child

import (
	"errors"
	"math"
	"os"
	"sort"

	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/power/wattmeter/log"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// logged is a meter's log that was read, or why it could not be.
type logged struct {
	readings []wattmeter.Reading
	err      error
}

// readings answers with readings of a meter's log.
func (c *child) readings(b []byte, file *os.File) error {
	q, err := protocol.DecodeAskReadings(b)
	if err != nil {
		return err
	}
	if file != nil {
		c.log.readings, c.log.err = log.Read(file)
	}
	out := protocol.Readings{Seq: q.Seq}
	if err := c.log.err; err != nil {
		out.Few, out.Reason = errors.Is(err, log.ErrFew), err.Error()
	}
	if all := c.log.readings; len(all) > 0 {
		out.Last = all[len(all)-1].At
		from := sort.Search(len(all), func(i int) bool { return all[i].At >= q.From })
		to := sort.Search(len(all), func(i int) bool { return all[i].At > q.To })
		all = all[from:max(from, to)]
		out.Total = uint32(min(len(all), math.MaxInt32))
		all = all[min(len(all), int(q.Skip)):]
		for _, r := range all[:min(len(all), protocol.MaxReadings)] {
			out.List = append(out.List, protocol.Reading(r))
		}
	}
	return c.governor.Send(out.Encode())
}
