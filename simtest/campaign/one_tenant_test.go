package campaign

import (
	"bytes"
	"context"
	"testing"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/governor/replay"
)

// TestOneTenant: where there is one tenant, the governors of several take every action that a
// single governor takes, and no other.
func TestOneTenant(t *testing.T) {
	first, last, _ := cases(min(*runs, 60))
	for s := first; s <= last; s++ {
		c := Draw(s)
		r, err := Run(&c)
		if err != nil {
			t.Fatal(err)
		}
		p, err := replay.NewPlayer(bytes.NewReader(r.Recording))
		if err != nil {
			t.Fatal(err)
		}
		m, err := many.New(many.Config{Tenants: []many.Tenant{{Config: p.Config()}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := governor.Run(context.Background(), m, p); err != nil {
			t.Errorf("seed %d: %v", s, err)
		}
		if err := m.Failed(0); err != nil || p.Applied() == 0 {
			t.Errorf("seed %d: %d actions, %v", s, p.Applied(), err)
		}
	}
}
