package methods

import (
	"maps"
	"testing"

	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// TestResumes: the program goes on behind a push of one or two bytes, in the same place of any
// page. The kernel returns from a step elsewhere.
func TestResumes(t *testing.T) {
	list := []profile.CountedCalls{{}, {Stepped: true}}
	got := resumes([]calls.Probe{{Offset: 0x1100}, {Offset: 0x2200, Function: 1},
		{Offset: 0x4ffe}}, list)
	want := map[uint64]bool{0x101: true, 0x102: true, 0xfff: true, 0: true}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
