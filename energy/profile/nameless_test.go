package profile

import (
	"bytes"
	"strings"
	"testing"
)

// TestNameless: of files without names for what used a percent of the energy or more the report
// says what would give them names, by the rule asked for; nothing of what has names, or of callers.
func TestNameless(t *testing.T) {
	p := sample()
	first := len(p.Frames)
	p.Frames = append(p.Frames, Frame{"libz.so.1+0x10", "libz.so.1", "placed"},
		Frame{"libz.so.1+0x20", "libz.so.1", "placed"},
		Frame{"[prog]", "prog", "unresolved"}, Frame{"libq.so+0x1", "libq.so", "placed"},
		Frame{"deflate", "libz.so.1", "native"})
	add := func(ledger, equal int64, frames ...int) {
		p.Stacks = append(p.Stacks, Stack{Frames: frames, Samples: 1,
			EnergyNJ: []int64{ledger, equal}, ByZone: []int64{0, 0}})
	}
	add(100, 20, first, first+4, 2)
	add(50, 0, first+1)
	add(17, 0, first+2)
	add(1000, 1000, 6, first+3) // memcpy, called by libq
	add(8, 1, first+3)
	p.FindNameless([]Nameless{
		{Module: "libc.so.6", Path: "/lib/libc.so.6"}, {Module: "libq.so", Path: "/lib/libq.so"},
		{Module: "prog", Path: "/opt/prog"},
		{Module: "libz.so.1", Path: "/lib/libz.so.1", BuildID: "1f95",
			DebugFile: "/usr/lib/debug/.build-id/1f/95.debug"},
		{Module: "libz.so.1", Path: "/srv/lib/libz.so.1"},
	})
	var got []string
	for _, n := range p.Nameless {
		got = append(got, n.Path)
	}
	if want := "/lib/libz.so.1 /opt/prog /lib/libq.so"; strings.Join(got, " ") != want ||
		p.Nameless[0].EnergyNJ[0] != 150 || p.Nameless[0].EnergyNJ[1] != 20 {
		t.Errorf("%+v", p.Nameless)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	for rule, want := range []string{`names        5.4% of the energy is used in functions of /lib/libz.so.1 that have no name; its distribution's package of debug symbols would name them (/usr/lib/debug/.build-id/1f/95.debug)
`, ``} {
		var out bytes.Buffer
		if err := p.WriteText(&out, nil, rule, 0); err != nil {
			t.Fatal(err)
		}
		lines := ""
		for line := range strings.Lines(out.String()) {
			if strings.HasPrefix(line, "names") {
				lines += line
			}
		}
		if lines != want {
			t.Errorf("%q, want %q", lines, want)
		}
	}
	p.Nameless[0].EnergyNJ = nil
	if p.Check() == nil {
		t.Error("a file without energies by rule is good")
	}
	// The caller of a function without a name has a name, of the same file.
	v := view(t, p, "method")
	if got := v.Unit(&Stack{Frames: []int{first,
		first + 4}}); got != "[libz.so.1] deflate > libz.so.1+0x10" {
		t.Errorf("%q", got)
	}
	if got := v.Unit(&Stack{Frames: []int{first, 6, first + 4}}); got != "[libz.so.1+0x10]" {
		t.Errorf("%q", got)
	}
}
