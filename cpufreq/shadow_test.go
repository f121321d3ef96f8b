package cpufreq

import (
	"errors"
	"testing"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

func TestShadow(t *testing.T) {
	a := NewShadow("asked for")
	s := a.States()
	if a.Name() != Shadow || a.Reason() != "asked for" || len(s) != 25 || s[0] != 1*ghz ||
		s[1] != 1125*mhz || s[24] != 4*ghz {
		t.Errorf("states %v", s)
	}
	if o := a.Set(2100 * mhz); len(o) != 1 || o[0].Kind != Written || o[0].Found != 2125*mhz ||
		o[0].Domain != sysfs.Unknown {
		t.Errorf("got %+v", o)
	}
	o := a.Set(2110 * mhz)
	if low, trouble := Summary(o); o[0].Kind != Unchanged || low != 2125*mhz || trouble != "" {
		t.Errorf("got %+v, %v, %q", o, low, trouble)
	}
}

func TestDelivered(t *testing.T) {
	fs := openTree(t, tree(t, "acpi-cpufreq"))
	if c, err := Delivered(fs, 0); err != nil || c != (Clock{Scaling: 4200 * mhz}) ||
		c.Best() != 4200*mhz {
		t.Errorf("got %+v, %v", c, err)
	}
	fs = openTree(
		t, "file 0644 devices/system/cpu/cpufreq/policy0/scaling_cur_freq\n\t3000000\n"+
			"file 0644 devices/system/cpu/cpufreq/policy0/cpuinfo_cur_freq\n\t2000000\n",
	)
	if c, err := Delivered(fs, 0); err != nil || c.Best() != 2*ghz {
		t.Errorf("under a cap: %+v, %v", c, err)
	}
	if c, err := Delivered(fs, 1); !errors.Is(err, sysfs.ErrAbsent) {
		t.Errorf("got %+v, %v", c, err)
	}
}
