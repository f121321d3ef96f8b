package profile

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

func view(t *testing.T, p *Profile, by string) *View {
	t.Helper()
	v, err := NewView(p, by, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestViews: what each stack is booked to, by each view.
func TestViews(t *testing.T) {
	p := sample()
	for by, want := range map[string][]string{
		"method": {"app.core.Parser.parse", "app.core.Parser.parse", "app.Main.run", "[gc]",
			"[unresolved]", "[never sampled] idle"},
		"class": {"app.core.Parser", "app.core.Parser", "app.Main", "[gc]", "[unresolved]",
			"[never sampled] idle"},
		"package": {"app.core", "app.core", "app", "[gc]", "[unresolved]", "[never sampled] idle"},
		"thread": {"main (10)", "main (10)", "main (10)", "GC Thread#0 (11)", "main (10)",
			"idle (12)"},
		"process": {"main (10)", "main (10)", "main (10)", "main (10)", "main (10)", "main (10)"},
		"phase": {"application", "application", "application", "gc", "application",
			"application"},
		"context": {"app.core.Parser.parse < app.Main.run", "app.core.Parser.parse < app.Main.run",
			"app.Main.run", "[gc]", "[unresolved]", "[never sampled] idle"},
	} {
		v := view(t, p, by)
		var got []string
		for i := range p.Stacks {
			got = append(got, v.unit(&p.Stacks[i]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("by %s: %q, want %q", by, got, want)
		}
	}
	if _, err := NewView(p, "colour", nil); err == nil ||
		!strings.Contains(err.Error(), "context") {
		t.Errorf("a view by colour: %v", err)
	}
}

// TestNames: functions of other languages.
func TestNames(t *testing.T) {
	p := sample()
	for _, tt := range []struct {
		frame                   Frame
		method, class, package_ string
	}{
		{frame("ns::Parser::parse", "prog", "native"), "ns::Parser::parse", "ns::Parser", "ns"},
		{frame("github.com/x/y.(*Tree).Insert", "prog", "native"), "github.com/x/y.(*Tree).Insert",
			"github.com/x/y.(*Tree)", "github.com/x/y"},
		{frame("main.work", "prog", "native"), "main.work", "main", "main"},
		{frame("multiply", "prog", "native"), "multiply", "[prog]", "[prog]"},
		{frame("Main.run", "[jit]", "jit"), "Main.run", "Main", "[no package]"},
		{frame("runtime.mallocgc", "prog", "native"), "[prog] runtime.mallocgc", "[prog]",
			"[prog]"},
		{frame("std::sort", "prog", "native"), "[prog] std::sort", "[prog]", "[prog]"},
		{frame("Main.run", "[java]", "interpreted"), "Main.run", "Main", "[no package]"},
		{frame("java.util.List.of", "[java]", "interpreted"), "[java] java.util.List.of", "[java]",
			"[java]"},
		{frame("flush_icache_stub", "[jit]", "jit"), "[jit] flush_icache_stub", "[jit]", "[jit]"},
		{frame("runtime.gcBgMarkWorker", "prog", "native"), "[gc]", "[gc]", "[gc]"},
		{frame("start_thread", "libc.so.6", "native"), "[libc.so.6] start_thread", "[libc.so.6]",
			"[libc.so.6]"},
		{frame("prog-1.2+0x1a30", "prog-1.2", "placed"), "prog-1.2+0x1a30", "[prog-1.2]",
			"[prog-1.2]"},
		{frame("libz.so.1+0x2a40", "libz.so.1", "placed"), "[libz.so.1+0x2a40]", "[libz.so.1]",
			"[libz.so.1]"},
		{frame("[libz.so.1]", "libz.so.1", "unresolved"), "[libz.so.1]", "[libz.so.1]",
			"[libz.so.1]"},
		{frame("schedule", "[kernel]", "kernel"), "[kernel]", "[kernel]", "[kernel]"},
	} {
		p.Frames = []Frame{tt.frame}
		s := &Stack{Frames: []int{0}}
		for by, want := range map[string]string{"method": tt.method, "class": tt.class,
			"package": tt.package_} {
			if got := view(t, p, by).unit(s); got != want {
				t.Errorf("%s by %s: %q, want %q", tt.frame.Name, by, got, want)
			}
		}
	}
	p.Frames = nil
	for _, name := range []string{"io_read", "io_wq_worker", "ret_from_fork", "ret_from_fork_asm",
		"vhost_run_work_list", "vhost_worker", "kthread"} {
		p.Frames = append(p.Frames, frame(name, "[kernel]", "kernel"))
	}
	for want, frames := range map[string][]int{"[kernel] io_wq_worker": {0, 1, 2, 3},
		"[kernel] vhost_worker": {4, 5, 6, 3}, "[kernel]": {0}} {
		s := &Stack{Frames: frames}
		if got := view(t, p, "method").unit(s); got != want {
			t.Errorf("%v is %q, want %q", frames, got, want)
		}
		if got := view(t, p, "package").unit(s); got != "[kernel]" {
			t.Errorf("%v by package is %q", frames, got)
		}
	}
	p.Frames = []Frame{frame("lib.Parser.parse", "[jit]", "jit"),
		frame("app.Main.run", "[jit]", "jit")}
	v, err := NewView(p, "method", []string{"lib."})
	if err != nil {
		t.Fatal(err)
	}
	if got := v.unit(&Stack{Frames: []int{0, 1}}); got != "app.Main.run" {
		t.Errorf("with lib. as a library: %q", got)
	}
}

// TestRows: every view's rows add up to the energy attributed to units, by every rule, and to all
// CPU time.
func TestRows(t *testing.T) {
	p := sample()
	for _, by := range Views {
		for rule, want := range []int64{1600, 2000} {
			var e, ns int64
			samples, last := 0, int64(1<<62)
			for _, r := range p.Rows(view(t, p, by), rule) {
				e += r.Energy
				ns += r.TimeNS
				samples += r.Samples
				if r.Energy > last || r.Low > r.Share+1e-12 || r.High < r.Share-1e-12 ||
					r.Rules[rule] != r.Energy {
					t.Errorf("by %s: %+v after %d", by, r, last)
				}
				last = r.Energy
			}
			if e != want || samples != 12 || ns < 1_203_000_000-10 || ns > 1_203_000_000 {
				t.Errorf("by %s, rule %d: %d nJ, %d samples, %d ns", by, rule, e, samples, ns)
			}
		}
	}
}

// TestRank: rows that the samples cannot distinguish have one rank.
func TestRank(t *testing.T) {
	rows := []Row{{Low: 0.5, High: 0.6}, {Low: 0.3, High: 0.4}, {Low: 0.28, High: 0.38},
		{Low: 0.2, High: 0.31}, {Low: 0.1, High: 0.15}}
	rank(rows)
	var got []int
	for _, r := range rows {
		got = append(got, r.Rank)
	}
	if want := []int{1, 2, 2, 2, 5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestText(t *testing.T) {
	p := sample()
	for _, by := range []string{"method", "thread"} {
		var b bytes.Buffer
		if err := p.WriteText(&b, p.Rows(view(t, p, by), 0), 0, 3, printable.All); err != nil {
			t.Fatal(err)
		}
		devtest.Golden(t, filepath.Join("testdata", by+".txt"), b.Bytes())
	}
	var b bytes.Buffer
	if err := p.WriteRules(&b, p.Rows(view(t, p, "method"), 0), 0, printable.All); err != nil {
		t.Fatal(err)
	}
	devtest.Golden(t, "testdata/rules.txt", b.Bytes())
}

// TestOblivious: the rule that gives the same energy more than once is shown as Chappie's Table 2
// shows it, in multiples of Chappie's own attribution.
func TestOblivious(t *testing.T) {
	p := sample()
	p.Rules = append(p.Rules, "oblivious")
	for i := range p.Zones {
		z := &p.Zones[i]
		z.Attr, z.OthersNJ, z.IdleNJ = append(z.Attr, 3*z.TotalNJ), append(z.OthersNJ,
			0), append(z.IdleNJ, 0)
		z.RestNJ = append(z.RestNJ, -2*z.TotalNJ)
	}
	for i := range p.Stacks {
		s := &p.Stacks[i]
		s.EnergyNJ = append(s.EnergyNJ, 2*s.EnergyNJ[1])
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	p.Stacks[3].EnergyNJ[2] = 2320 // the collector's: 5.8 times its 400
	var b bytes.Buffer
	if err := p.WriteRules(&b, p.Rows(view(t, p, "method"), 0), 0, printable.All); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"[gc]                    25.0%  20.0%      5.80x",
		"56.2%  40.0%      2.00x\n", "oblivious: its ratio to equal (Chappie, Table 2)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestCheck(t *testing.T) {
	if err := sample().Check(); err != nil {
		t.Error(err)
	}
	for what, change := range map[string]func(*Profile){
		"no rule":         func(p *Profile) { p.Rules = nil },
		"unbalanced zone": func(p *Profile) { p.Zones[0].IdleNJ[1]++ },
		"short zone":      func(p *Profile) { p.Zones[1].Attr = nil },
		"no such thread":  func(p *Profile) { p.Stacks[0].Thread = 3 },
		"below the first": func(p *Profile) { p.Stacks[0].Thread = -1 },
		"no such frame":   func(p *Profile) { p.Stacks[2].Frames = []int{8} },
		"fewer energies":  func(p *Profile) { p.Stacks[1].EnergyNJ = []int64{1} },
		"samples below 0": func(p *Profile) { p.Stacks[1].Samples = -1 },
		"fewer energies at a frequency": func(p *Profile) {
			p.Stacks[1].ByFrequency = []AtFrequency{{FreqHz: 1e9, EnergyNJ: []int64{1}}}
		},
	} {
		p := sample()
		change(p)
		if err := p.Check(); !errors.Is(err, errMalformed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestPhases(t *testing.T) {
	for comm, want := range map[string]string{
		"GC Thread#3": GC, "G1 Conc#0": GC, "C2 CompilerThre": Compiler, "VM Thread": VM,
		"java": Application, "": Application, "worker-1": Application,
	} {
		if got := PhaseOf(comm); got != want {
			t.Errorf("%q: %s, want %s", comm, got, want)
		}
	}
}

func TestResolution(t *testing.T) {
	if got, want := sample().Resolution(), (Resolution{Samples: 12, Resolved: 11, Unknown: 1,
		Cut: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	p := sample()
	p.Frames[4] = frame("libz.so.1+0x2a40", "libz.so.1", "placed")
	p.Frames[1] = frame("[libz.so.1]", "libz.so.1", "unresolved")
	if got, want := p.Resolution(), (Resolution{Samples: 12, Resolved: 4, Placed: 1, File: 6,
		Unknown: 1, Called: 6, Cut: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	p = sample()
	p.Frames[p.Stacks[0].Frames[0]] = frame("libz.so.1+0x2a40", "libz.so.1", "placed")
	if got := p.Resolution(); got.Called != got.Placed || got.Placed == 0 {
		t.Errorf("%+v: those by address have callers with names", got)
	}
}

// TestNamesStayInTheirLine: what a terminal would obey, or would end a row, is shown as an escape.
func TestNamesStayInTheirLine(t *testing.T) {
	for name, want := range map[string]string{
		"two\nlines": `two\nlines`, "\x1b[31mred": `\x1b[31mred`, "\xff": `\xff`,
		"a\u202eb": `a\u202eb`, "Überlauf 表": "Überlauf 表",
		strings.Repeat("x", 101): strings.Repeat("x", 99) + "…",
	} {
		if got := cut(name); got != want {
			t.Errorf("%q is shown as %q", name, got)
		}
	}
}

// TestProcessesOfOneCommand: processes of one name are one unit with their number, those that have
// ended included; the only one of its name has its id.
func TestProcessesOfOneCommand(t *testing.T) {
	p := &Profile{Threads: []Thread{{TID: 5, PID: 5, Comm: "make"}, {TID: 7, PID: 7, Comm: "cc1"},
		{TID: 8, PID: 7, Comm: "helper"}, {TID: 9, PID: 9, Comm: "cc1"},
		{Comm: "cc1", Ended: 12, Processes: 10}, {TID: 31, PID: 30, Comm: "lost"}}}
	for by, want := range map[string][]string{
		"process": {"make (5)", "12 x cc1", "12 x cc1", "12 x cc1", "12 x cc1", "process (30)"},
		"pid":     {"make (5)", "cc1 (7)", "cc1 (7)", "cc1 (9)", "cc1 (10 ended)", "process (30)"},
	} {
		v := view(t, p, by)
		for i, w := range want {
			if got := v.unit(&Stack{Thread: i}); got != w {
				t.Errorf("by %s: %q, want %q", by, got, w)
			}
		}
	}
}

// TestEven: where each share of the energy is that of the CPU time, the table says it once.
func TestEven(t *testing.T) {
	p := &Profile{Rules: []string{"ledger"}, Zones: []Zone{{Name: "cpu", Source: "formula",
		TotalNJ: 4e9, Attr: []int64{4e9}, OthersNJ: []int64{0}, IdleNJ: []int64{0},
		RestNJ: []int64{0}}}}
	for energy, once := range map[int64]bool{1e9: true, 2e9: false} {
		rows := []Row{{Unit: "a", Energy: 3e9, TimeNS: 3e9, Share: 0.75},
			{Unit: "b", Energy: energy, TimeNS: 1e9, Share: float64(energy) / 4e9}}
		var text strings.Builder
		if err := p.WriteText(&text, rows, 0, 0, printable.All); err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(text.String(), "CPU share"); has == once {
			t.Errorf("%d nJ of b:\n%s", energy, text.String())
		}
		if n := strings.Count(text.String(), "75.0%"); once && n != 1 || !once && n != 2 {
			t.Errorf("%d shares of 75 %%:\n%s", n, text.String())
		}
	}
}

// TestCountingIsNoMethod: the time in which a program counts its calls is one line by each view of
// methods, wherever its innermost frame is, and stays the thread's.
func TestCountingIsNoMethod(t *testing.T) {
	p := sample()
	p.Frames = []Frame{frame("clock_gettime", "libc.so.6", "native"),
		frame("enter", "libebb-functions.so", "native"), frame("ebb.Agent.enter", "[java]", "jit"),
		frame("app.Main.run", "[java]", "jit")}
	for _, frames := range [][]int{{0, 1, 2, 3}, {1, 3}, {2, 3}, {3}} {
		for _, by := range []string{"method", "class", "package", "context", "cfa1"} {
			got := view(t, p, by).unit(&Stack{Frames: frames})
			if (got == "[counting of calls]") != (len(frames) > 1) {
				t.Errorf("%v by %s: %q", frames, by, got)
			}
		}
		if got := view(t, p, "thread").unit(&Stack{Frames: frames}); got != "main (10)" {
			t.Errorf("by thread: %q", got)
		}
	}
}
