package stream

import (
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// TestVirtual: a line says what virtual threads used, as its threads are those that carried them.
func TestVirtual(t *testing.T) {
	a := New(0, time.Second)
	a.Charged(7, 1000)
	a.Booked(7, a.Method("a.B.c"), 1000, 10, 4, 0)
	a.Carried(600)
	l := a.Line(units.Instant(time.Second), &Machine{Total: 1000},
		func(epochs.TID) (int32, string, bool) { return 7, "worker", true },
		func(t epochs.TID) epochs.TID { return t })
	var b strings.Builder
	if err := l.WriteText(&b, 3, 80); err != nil {
		t.Fatal(err)
	}
	const want = "\nvirtual threads used 60.0 %: here it is in the lines of what carries them\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("%q is not in\n%s", want, b.String())
	}
	if l.VirtualNJ = 0; l.Virtual() != "" {
		t.Errorf("without virtual threads: %q", l.Virtual())
	}
}

// TestOthersAreUnknown: a model that stands in for a meter has the target alone, so the energy of
// others is unknown, and not zero.
func TestOthersAreUnknown(t *testing.T) {
	for source, want := range map[string]string{
		"measured": "program 4 J, others 0 J, idle 1 J",
		"trained":  "program 4 J, others 0 J, idle 1 J",
		"modelled": "program 4 J, others unknown, idle 1 J",
		"formula":  "program 4 J, others unknown, idle 1 J",
	} {
		l := Line{Source: source, TotalNJ: 5e9, TargetNJ: 4e9, IdleNJ: 1e9}
		if got := l.Parts(); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
