package campaign

import (
	"bytes"
	"context"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/replay"
)

// replayed plays a result's recording to the governor again. If the governor acts differently, the
// error names the first difference.
func replayed(r *Result) error {
	p, err := replay.NewPlayer(bytes.NewReader(r.Recording))
	if err != nil {
		return err
	}
	g, err := governor.New(p.Config())
	if err != nil {
		return err
	}
	return governor.Run(context.Background(), g, p)
}
