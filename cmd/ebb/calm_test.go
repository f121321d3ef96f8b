package main

import (
	"testing"

	"github.com/ebb-energy/ebb/internal/app/perturbation/search"
	"github.com/ebb-energy/ebb/internal/command"
)

// TestCalmStatus: one calm period is enough; where none is, each verdict has a status of its own.
func TestCalmStatus(t *testing.T) {
	calm, disturbed := search.Row{Calm: true, Sure: true}, search.Row{Sure: true}
	open := search.Row{}
	for _, tt := range []struct {
		rows []search.Row
		all  bool
		want command.Status
	}{
		{[]search.Row{disturbed, calm}, false, command.OK},
		{[]search.Row{open, calm}, false, command.OK},
		{[]search.Row{disturbed, disturbed}, true, command.Disturbed},
		{[]search.Row{disturbed, disturbed}, false, command.Inconclusive},
		{[]search.Row{disturbed, open}, false, command.Inconclusive},
	} {
		if got := calmStatus(tt.rows, tt.all); got != tt.want {
			t.Errorf("%+v: status %d, not %d", tt.rows, got, tt.want)
		}
	}
}
