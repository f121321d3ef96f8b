package main

import (
	"testing"

	"github.com/ebb-energy/ebb/internal/app/perturbation"
	"github.com/ebb-energy/ebb/internal/command"
)

// TestCalmStatus: one calm period is enough; where none is, each verdict has a status of its own.
func TestCalmStatus(t *testing.T) {
	calm, disturbed := perturbation.Row{Calm: true, Sure: true}, perturbation.Row{Sure: true}
	open := perturbation.Row{}
	for _, tt := range []struct {
		rows []perturbation.Row
		all  bool
		want command.Status
	}{
		{[]perturbation.Row{disturbed, calm}, false, command.OK},
		{[]perturbation.Row{open, calm}, false, command.OK},
		{[]perturbation.Row{disturbed, disturbed}, true, command.Disturbed},
		{[]perturbation.Row{disturbed, disturbed}, false, command.Inconclusive},
		{[]perturbation.Row{disturbed, open}, false, command.Inconclusive},
	} {
		if got := calmStatus(tt.rows, tt.all); got != tt.want {
			t.Errorf("%+v: status %d, not %d", tt.rows, got, tt.want)
		}
	}
}
