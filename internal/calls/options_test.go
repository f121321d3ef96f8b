package calls_test

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/instrumented"
)

func TestOptions(t *testing.T) {
	var o calls.LibraryOptions
	err := o.Set("period=20ms,groups=4,by=chance,pick=first,records=3,counters=cycles+page-faults")
	if err != nil {
		t.Fatal(err)
	}
	s := o.Settings
	if !o.Wanted || o.Length != 20*time.Millisecond || s.Groups != 4 || s.Records != 3 ||
		s.Grouping != instrumented.ByChance || s.Pick != instrumented.FirstCall ||
		len(s.Events) != 2 {
		t.Errorf("read as %+v", o)
	}
	var again calls.LibraryOptions
	if err := again.Set(o.String()); err != nil || again.String() != o.String() {
		t.Errorf("%q is read as %q, %v", o.String(), again.String(), err)
	}
	if err := o.Set("counters=auto"); err != nil || !o.Automatic || again.Set(o.String()) != nil ||
		!again.Automatic {
		t.Errorf("auto is read as %+v, %v; and that again as %+v", o, err, again)
	}
	// The functions of a thread share records unless each gets a number of its own.
	for text, want := range map[string]uint32{"on": 64, "records=auto": 64, "period=25ms": 16,
		"period=1s": 64, "period=1ms": 0, "records=1": 0, "records=3": 0} {
		if err := o.Set(text); err != nil || o.Shared().Divided != want ||
			again.Set(o.String()) != nil || again.Shared().Divided != want {
			t.Errorf("%s: %+v, %v, and again %+v", text, o.Shared(), err, again.Shared())
		}
	}
	if err := o.Set("off"); err != nil || o.Wanted || o.String() != "off" {
		t.Errorf("off is read as %+v, %v", o, err)
	}
	for _, bad := range []string{"", "perod=1s", "period=1", "period=1us", "groups=0", "groups=x",
		"by=size", "pick=last", "records=65", "counters=a", "counters=cycles+cycles+cycles",
		"library=", "period=1s,,"} {
		if before := o.String(); o.Set(bad) == nil || o.String() != before {
			t.Errorf("%q is read as %q", bad, o.String())
		}
	}
}
