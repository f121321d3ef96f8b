//go:build !race

package eval

import (
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestShardsOfTheMachine: the same with real runs, of which some need others.
func TestShardsOfTheMachine(t *testing.T) {
	devtest.Long(t)
	set := Settings{Quick: true, Seed: 1, Figures: []string{"3", "9", "tenants"}}
	whole, err := Evaluate(t.Context(), set, nil)
	if err != nil {
		t.Fatal(err)
	}
	parts := partsOf(t, set, 3, nil)
	r, err := Merge(append(parts, parts[1]), "v1") // a task that ran twice
	if err != nil {
		t.Fatal(err)
	}
	if output(t, r) != output(t, whole) {
		t.Error("three shards give other bytes")
	}
}
