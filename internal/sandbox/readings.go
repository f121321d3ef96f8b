package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

var (
	// errLog says that a meter's log cannot be read as one.
	errLog = errors.New("not a meter's log")
	// errFewReadings says that a meter's log has no two readings yet.
	errFewReadings = errors.New("too few readings")
)

// mostReadings bounds what is taken of a log: a week of one each second.
const mostReadings = 1 << 20

// readings returns the readings of a meter's log from a time to a time, in s since 1970, and the
// time of its last one. A child that has seen nothing else reads the file. The readings are in
// order and within package wattmeter's bounds, whatever the file is.
func readings(ctx context.Context, f *os.File, from, to float64) (
	list []wattmeter.Reading, last float64, err error,
) {
	h, err := Start()
	if err != nil {
		return nil, 0, err
	}
	defer h.Close()
	for file := f; ; file = nil {
		h.question++
		q := protocol.AskReadings{Seq: h.question, From: from, To: to, Skip: uint32(len(list))}
		var got protocol.Readings
		err := h.ask(ctx, q.Encode(), file, func(b []byte) bool {
			got, err = protocol.DecodeReadings(b)
			return err == nil && got.Seq == q.Seq
		})
		if err != nil {
			return nil, 0, err
		}
		switch {
		case got.Few:
			return nil, 0, fmt.Errorf("%w: %s", errFewReadings, clean(got.Reason))
		case got.Reason != "":
			return nil, 0, fmt.Errorf("%w: %s", errLog, clean(got.Reason))
		case got.Total > mostReadings:
			return nil, 0, fmt.Errorf("%w: %d readings within the run", ErrMany, got.Total)
		}
		for _, r := range got.List {
			if !(r.At >= from && r.At <= to && r.Power >= 0 && r.Power <= wattmeter.MostWatts) ||
				len(list) > 0 && r.At < list[len(list)-1].At {
				return nil, 0, protocol.ErrMalformed
			}
			list = append(list, wattmeter.Reading(r))
		}
		if len(list) >= int(got.Total) || len(got.List) == 0 {
			return list, got.Last, nil
		}
	}
}
