package stream

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

const ms = time.Millisecond

func nobody(epochs.TID) (int32, string, bool) { return 0, "", false }

func same(t epochs.TID) epochs.TID { return t }

// TestLine: two processes with three threads, one of which ends; sums stay, watts are of the time
// since the line before.
func TestLine(t *testing.T) {
	a := New(0, time.Second)
	look := func(t epochs.TID) (int32, string, bool) {
		return map[epochs.TID]int32{10: 10, 11: 10, 20: 20}[t], fmt.Sprintf("t%d", t), true
	}
	a.Ran(10, 100*ms)
	a.Charged(10, 1e9)
	a.Ran(11, 50*ms)
	a.Charged(11, 5e8)
	a.Ran(20, 10*ms)
	a.Charged(20, 1e8)
	l := a.Line(units.Instant(time.Second), &Machine{Total: 2e9, Others: 3e8, Idle: 1e8}, look,
		same)
	if l.TargetNJ != 16e8 || l.RestNJ != 0 || l.Watts != 2 {
		t.Errorf("%+v", l)
	}
	if p := l.Processes; len(p) != 2 || p[0] != (Process{PID: 10, Name: "t10", Threads: 2,
		EnergyNJ: 15e8, CPUNS: int64(150 * ms), Watts: 1.5}) {
		t.Errorf("%+v", p)
	}
	a.Exited(11, 11, 0, "")
	a.Charged(20, 1e8)
	l = a.Line(units.Instant(3*time.Second), &Machine{Total: 3e9}, look, same)
	if p := l.Processes; len(p) != 2 || p[0].Ended != 1 || p[0].Threads != 1 ||
		p[0].EnergyNJ != 15e8 || p[0].Watts != 0 || p[1].Watts != 0.05 {
		t.Errorf("%+v", p)
	}
	if x := l.Threads; len(x) != 3 || x[0].TID != 10 || !x[1].Ended || x[1].EnergyNJ != 5e8 ||
		x[2].Watts != 0.05 || l.MoreThreads != 0 {
		t.Errorf("%+v", x)
	}
	l.AtNS = int64(3 * time.Second)
	text, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var h History
	h.Add(text)
	h.Add([]byte("{}"))
	h.Add([]byte("\n"))
	if h.Bad != 1 || h.Last == nil || len(h.Points) != 1 || h.Last.TargetNJ != l.TargetNJ {
		t.Errorf("%+v", h)
	}
	var b strings.Builder
	if err := h.Last.WriteText(&b, 2, 60); err != nil || !strings.Contains(b.String(), "(1 more)") {
		t.Errorf("%v: %s", err, &b)
	}
	for line := range strings.Lines(b.String()) {
		if len(line) > 61 {
			t.Errorf("too long: %q", line)
		}
	}
}

// TestShortLastLine: a run's last line that comes soon after the one before says the mean power of
// both times, so that a window booked late is no power that there never was; a thread that has
// ended has no power now.
func TestShortLastLine(t *testing.T) {
	a := New(0, time.Second)
	line := func(at time.Duration, total units.Energy) *Line {
		return a.Line(units.Instant(at), &Machine{Total: total}, nobody, same)
	}
	a.Charged(1, 4e9)
	if l := line(time.Second, 5e9); l.Watts != 5 || l.OverNS != 1e9 {
		t.Errorf("first: %v W over %d ns", l.Watts, l.OverNS)
	}
	a.Charged(1, 4e9)
	a.Charged(2, 1e9)
	if l := line(2*time.Second, 10e9); l.Watts != 5 || l.Processes[0].Watts != 5 {
		t.Errorf("second: %v W, %+v", l.Watts, l.Processes)
	}
	a.Charged(2, 2e8)
	a.Exited(1, 1, 0, "")
	l := line(2050*ms, 105e8) // half a window's energy, in a twentieth of a second: 10 W
	if want := 55e8 / 1.05e9; math.Abs(l.Watts-want) > 1e-9 || l.OverNS != int64(1050*ms) ||
		math.Abs(l.Processes[0].Watts-52e8/1.05e9) > 1e-9 {
		t.Errorf("last: %v W over %d ns, %+v", l.Watts, l.OverNS, l.Processes)
	}
	var b strings.Builder
	if err := l.WriteText(&b, 5, 80); err != nil {
		t.Fatal(err)
	}
	for row := range strings.Lines(b.String()) {
		if strings.Contains(row, "ended") && strings.Contains(row, " W") {
			t.Errorf("a thread that has ended has a power: %q", row)
		}
	}
}

// TestBounds: ever more threads, processes and methods take no more than the bounds allow, a line
// has its length, and nothing is lost from the sums.
func TestBounds(t *testing.T) {
	a := New(0, time.Second)
	var all units.Energy
	var l *Line
	for i := range 3 * maxProcesses {
		id := epochs.TID(i + 1)
		a.Charged(id, units.Energy(i))
		a.Name(id, int32(id), strings.Repeat("x", 15))
		for k := range 30 {
			m := a.Method(fmt.Sprintf("%s %d", strings.Repeat("m", 380), i*7+k))
			a.Booked(id, m, 10, ms, 1, 100)
			all += 10
		}
		if i%3 > 0 {
			a.Exited(id, id, int32(id), "x")
		}
	}
	l = a.Line(1, &Machine{}, nobody, same)
	if len(a.methods) > maxMethods || a.cells > maxCells || len(a.ended) > maxProcesses+1 ||
		a.apart > maxApart || len(l.Methods) != mostMethods || len(l.Threads) != mostThreads ||
		len(l.Processes) != mostProcesses {
		t.Errorf("%d methods, %d cells, %d ended, %d apart", len(a.methods), a.cells, len(a.ended),
			a.apart)
	}
	if l.SampledNJ != int64(all) || l.TargetNJ != int64(3*maxProcesses-1)*3*maxProcesses/2 {
		t.Errorf("%d, %d", l.SampledNJ, l.TargetNJ)
	}
	if text, err := l.Encode(); err != nil || len(text) > MaxLine {
		t.Errorf("%v: %d bytes", err, len(text))
	}
}

// TestForemost: those that sorting all of them puts first, in any order that they come in.
func TestForemost(t *testing.T) {
	r := devtest.Rand(t)
	for size := range 60 {
		all := r.Perm(size)
		want := slices.Sorted(slices.Values(all))[:min(size, 7)]
		if got := foremost(all, 7, cmp.Compare[int]); !slices.Equal(got, want) {
			t.Errorf("of %d: %v", size, got)
		}
	}
}

// TestHistoryHalves: a long run keeps its mean power.
func TestHistoryHalves(t *testing.T) {
	var h History
	for i := range 5 * maxPoints {
		l := Line{Schema: lineSchema, AtNS: int64(i+1) * 1e9, Watts: float64(i % 2)}
		text, _ := l.Encode()
		h.Add(text)
	}
	var energy, time float64
	for _, p := range h.Points {
		energy += p.Watts * p.DurNS
		time += p.DurNS
	}
	if len(h.Points) > maxPoints || math.Abs(energy/time-0.5) > 1e-3 {
		t.Errorf("%d points of %v", len(h.Points), energy/time)
	}
}

// FuzzDecode: a line from anybody makes neither a failure nor a table that fails.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schema":1,"threads":[{"tid":1}],"methods":[{"unit":"a"}]}`))
	f.Add([]byte(`{"schema":1,"at_ns":-1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var h History
		h.Add(text)
		if h.Last == nil {
			return
		}
		var b strings.Builder
		if err := h.Last.WriteText(&b, 3, 80); err != nil {
			t.Error(err)
		}
	})
}
