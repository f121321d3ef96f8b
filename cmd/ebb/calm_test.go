package main

import (
	"testing"

	"github.com/ebb-energy/ebb/internal/app/perturbation/search"
	"github.com/ebb-energy/ebb/internal/command"
)

// TestCalmStatus: one calm period is enough; where none is, one without a verdict leaves all open.
func TestCalmStatus(t *testing.T) {
	calm, disturbed := search.Row{Calm: true, Sure: true}, search.Row{Sure: true}
	open := search.Row{}
	for _, tt := range []struct {
		rows []search.Row
		want command.Status
	}{
		{[]search.Row{disturbed, calm}, command.OK},
		{[]search.Row{open, calm}, command.OK},
		{[]search.Row{disturbed, disturbed}, command.Disturbed},
		{[]search.Row{disturbed, open}, command.Inconclusive},
		{[]search.Row{open}, command.Inconclusive},
	} {
		if got := calmStatus(tt.rows); got != tt.want {
			t.Errorf("%+v: status %d, not %d", tt.rows, got, tt.want)
		}
	}
}
