package replay_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/replay"
)

// actionsOf is a governor.Observer that keeps the actions.
type actionsOf struct{ actions []governor.Action }

func (o *actionsOf) Observe(_ *governor.Event, actions []governor.Action) {
	o.actions = append(o.actions, actions...)
}

// TestComparingAcceptsEveryAction: a player that compares hands over every recorded action in
// order, whatever the governor does: the same ones with the recorded configuration, others with
// another budget.
func TestComparingAcceptsEveryAction(t *testing.T) {
	file := record(t, twoThreads(1))
	for _, other := range []bool{false, true} {
		p, err := replay.NewPlayer(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		cfg := p.Config()
		if other {
			cfg.Slowdown = 0.5
		}
		g, err := governor.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var recorded []governor.Action
		p.Compare(func(a governor.Action) { recorded = append(recorded, a) })
		var played actionsOf
		if err := governor.Run(context.Background(), g, p, &played); err != nil {
			t.Fatal(err)
		}
		if len(recorded) < 15 {
			t.Fatalf("%d actions were handed over", len(recorded))
		}
		differ := len(recorded) != len(played.actions)
		for i := range min(len(recorded), len(played.actions)) {
			differ = differ || recorded[i] != played.actions[i]
		}
		if differ != other {
			t.Errorf("another budget %v: recorded and played actions differ: %v", other, differ)
		}
	}
}
