package hpc

import (
	"strings"
	"testing"
)

func TestByName(t *testing.T) {
	got, err := ByName([]string{"tsc", "cycles"})
	if err != nil || len(got) != 2 || got[0].Name != "tsc" || got[0].PMU != MSR ||
		got[1].PMU != Hardware {
		t.Errorf("tsc, cycles: %v, %v; want them in this order", got, err)
	}
	for _, c := range []struct{ names, want string }{
		{"cicles", `no counter "cicles"; there are cycles, `},
		{"tsc,tsc", `"tsc" is named twice`},
		{"", `no counter ""`},
	} {
		if _, err := ByName(strings.Split(c.names, ",")); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %q", c.names, err, c.want)
		}
	}
}

func TestEventsAreDistinct(t *testing.T) {
	type place struct {
		pmu    PMU
		config uint64
	}
	seen := map[place]string{}
	for _, e := range events {
		p := place{e.PMU, e.Config}
		if other, ok := seen[p]; ok {
			t.Errorf("%s and %s are the same event", e.Name, other)
		}
		seen[p] = e.Name
		if e.What == "" {
			t.Errorf("%s does not say what it counts", e.Name)
		}
	}
}
