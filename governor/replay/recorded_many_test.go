//go:build amd64

package replay_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestOneTenantOfMany replays every recording to the governors of several programs, where there is
// one: they take every action that a single governor took, and no other.
func TestOneTenantOfMany(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ebb.gz")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ebb.gz"), func(t *testing.T) {
			player, err := replay.NewPlayer(bytes.NewReader(devtest.UnpackedGolden(t, path)))
			if err != nil {
				t.Fatal(err)
			}
			m, err := many.New(many.Config{Tenants: []many.Tenant{{Config: player.Config()}}})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Failed(0); err != nil {
				t.Fatal(err)
			}
			if err := governor.Run(context.Background(), m, player); err != nil {
				t.Error(err)
			}
			if err := m.Failed(0); err != nil || player.Applied() == 0 {
				t.Errorf("%d actions, %v", player.Applied(), err)
			}
		})
	}
}
