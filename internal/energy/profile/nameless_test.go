package profile

import (
	"bytes"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"strings"
	"testing"
)

// TestNameless: of files without names for what used a percent of the energy or more the report
// says what would give them names, by the rule asked for; nothing of what has names, or of callers.
func TestNameless(t *testing.T) {
	p := sample()
	first := len(p.Frames)
	p.Frames = append(p.Frames, frame("libz.so.1+0x10", "libz.so.1", "placed"),
		frame("libz.so.1+0x20", "libz.so.1", "placed"),
		frame("[prog]", "prog", "unresolved"), frame("libq.so+0x1", "libq.so", "placed"),
		frame("deflate", "libz.so.1", "native"))
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
	for rule, want := range []string{`names        1.8 % of the energy is booked to functions of /lib/libz.so.1 that have no name; such functions used 5.4 % themselves; its symbols would be in /usr/lib/debug/.build-id/1f/95.debug
names        to name them by a server that has the symbols: DEBUGINFOD_URLS=https://debuginfod.elfutils.org ebb report --debuginfod REPORT
`, ``} {
		var out bytes.Buffer
		if err := p.WriteText(&out, nil, rule, 0, printable.All); err != nil {
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
	if got := v.unit(&Stack{Frames: []int{first,
		first + 4}}); got != "[libz.so.1] deflate > libz.so.1+0x10" {
		t.Errorf("%q", got)
	}
	if got := v.unit(&Stack{Frames: []int{first, 6, first + 4}}); got != "[libz.so.1+0x10]" {
		t.Errorf("%q", got)
	}
}

// TestNamelessAsItWasStarted: a program is called what it was started as, also by its file's line.
func TestNamelessAsItWasStarted(t *testing.T) {
	for _, c := range []struct{ module, path, want string }{
		{"redis-server", "/usr/bin/redis-check-rdb", "redis-server"},
		{"redis-check-rdb", "/usr/bin/redis-check-rdb", "/usr/bin/redis-check-rdb"},
		{"sh", "/usr/bin/busybox", "sh"},
		{"p", "/opt/p (deleted)", "/opt/p (deleted)"},
		{"q", "/opt/p (deleted)", "q"},
	} {
		p := sample()
		p.Frames = append(p.Frames, frame(c.module+"+0x10", c.module, "placed"))
		p.Stacks = []Stack{{Frames: []int{len(p.Frames) - 1}, Samples: 9,
			EnergyNJ: []int64{900, 900}, ByZone: []int64{900, 0}}}
		p.FindNameless([]Nameless{{Module: c.module, Path: c.path}})
		got := p.WithoutNames(0)
		if len(got) != 1 || !strings.Contains(got[0], " of "+c.want+" that have no name") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestNamelessIsWhatIsBooked: a stripped program that works in the C library, as nginx does: its
// functions use little themselves, and the share that counts is that of their lines in the report.
func TestNamelessIsWhatIsBooked(t *testing.T) {
	p := sample()
	first := len(p.Frames)
	p.Frames = append(p.Frames, frame("nginx+0x10", "nginx", "placed"),
		frame("nginx+0x20", "nginx", "placed"), frame("libjvm.so+0x1", "libjvm.so", "placed"))
	p.Stacks = []Stack{
		{Thread: 0, Frames: []int{3, 6, first}, Samples: 9, EnergyNJ: []int64{900, 900},
			ByZone: []int64{900, 0}},
		{Thread: 0, Frames: []int{first + 1}, Samples: 1, EnergyNJ: []int64{50, 50},
			ByZone: []int64{50, 0}},
		{Thread: 0, Frames: []int{2}, Samples: 1, EnergyNJ: []int64{50, 50},
			ByZone: []int64{50, 0}},
		// A collector's thread has a line of its own.
		{Thread: 1, Frames: []int{first + 2}, EnergyNJ: []int64{1000, 1000}, ByZone: []int64{0, 0}},
	}
	p.FindNameless([]Nameless{{Module: "nginx", Path: "/usr/sbin/nginx"}})
	const want = "47.5 % of the energy is booked to functions of /usr/sbin/nginx that have no " +
		"name; " +
		"such functions used 2.5 % themselves; it has no build id to find its symbols by"
	if got := p.WithoutNames(0); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	rows := p.Rows(view(t, p, "method"), 0)
	var lines float64
	for _, r := range rows {
		if strings.HasPrefix(r.Unit, "nginx+") {
			lines += r.Share
		}
	}
	if printable.ShortPercent(lines) != "47.5%" {
		t.Errorf("the lines have %s: %+v", printable.ShortPercent(lines), rows)
	}
	// A library's functions are booked to the program's method that called them.
	p.Frames[first+1] = frame("libz.so.1+0x1", "libz.so.1", "placed")
	p.Nameless, p.Stacks[1].Frames = nil, []int{first + 1, 2}
	p.FindNameless([]Nameless{{Module: "libz.so.1", Path: "/lib/libz.so.1"}})
	if got := p.WithoutNames(0); len(got) != 1 || !strings.HasPrefix(got[0],
		"2.5 % of the energy is used in functions of /lib/libz.so.1 that have no name, and b") {
		t.Errorf("%q", got)
	}
	// Nothing of its own: the file is listed for what is booked.
	p.Nameless, p.Stacks = nil, p.Stacks[:1]
	p.FindNameless([]Nameless{{Module: "nginx", Path: "/usr/sbin/nginx"}})
	if got := p.WithoutNames(0); len(got) != 1 || !strings.HasPrefix(got[0], "100.0 %") {
		t.Errorf("%q", got)
	}
}

// TestOthersAreUnknown: the configuration's model and a formula have the program alone, so the
// energy of others is unknown, and not zero. A trained model has the whole machine.
func TestOthersAreUnknown(t *testing.T) {
	p := sample()
	p.Zones[0].Source, p.Zones[0].Model = "modelled", "table2"
	p.Zones[0].OthersNJ, p.Zones[0].IdleNJ = []int64{0, 0}, []int64{400, 0}
	var b bytes.Buffer
	if err := p.WriteText(&b, nil, 0, 0, printable.All); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(b.String(), "\n"); !strings.Contains(lines[0],
		"+ unknown others + 400 nJ idle") || !strings.Contains(lines[1], "+ 0 J others +") {
		t.Errorf("%s", b.String())
	}
	p.Zones[0].Source, p.Zones[0].OthersNJ[0] = "trained", 70
	if got := p.Zones[0].Others(0); got != "70 nJ" {
		t.Errorf("a trained model's others are %s", got)
	}
}

// TestNamesOfCPUTime: where nothing has joules, what functions without a name have is CPU time.
func TestNamesOfCPUTime(t *testing.T) {
	p := Profile{Rules: []string{"ledger"}, Zones: []Zone{{Name: "cpu", Source: "CPU time"}},
		Threads: []Thread{{Phase: Application}}, Frames: []Frame{{Module: "p", Kind: "placed"}},
		Stacks: []Stack{{Frames: []int{0}, EnergyNJ: []int64{9}}}}
	if p.Joules() {
		t.Fatal("this source has joules")
	}
	p.FindNameless([]Nameless{{Module: "p", Path: "/usr/bin/p"}})
	if got := strings.Join(p.WithoutNames(0), "\n"); !strings.Contains(got, "of the CPU time is") ||
		strings.Contains(got, "energy") {
		t.Errorf("%q", got)
	}
}
