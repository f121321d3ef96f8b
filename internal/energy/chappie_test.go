package energy

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// joule is a unit of examples.
const joule = units.Energy(1e9)

// thread is what a ledger gives a thread of its first zone.
func thread(l *Ledger, t epochs.TID) (e units.Energy) {
	for u, entry := range l.Entries() {
		if u.Thread == t {
			e += entry.Energy[0]
		}
	}
	return e
}

// booked books windows of 100 ms by a rule.
func booked(t *testing.T, name string, zones []Zone, windows []Window) *Ledger {
	t.Helper()
	l := New(zones, rule(t, name), 0)
	for i := range windows {
		w := windows[i]
		w.From = units.Instant(i) * units.Instant(100*ms)
		w.To = w.From.Add(100 * ms)
		if err := l.Book(&w); err != nil {
			t.Fatal(err)
		}
	}
	l.Finish()
	if err := l.Check(); err != nil {
		t.Error(err)
	}
	return l
}

// TestAlgorithm1 has an example made by hand: four epochs of 60 J on two sockets' one meter. Thread
// 1 is seen active in the first three, thread 2 in two of these, thread 3 in one; in the last none
// is, though all run.
//
//	epoch   active    each gets
//	1       1         60
//	2       1, 2      30
//	3       1, 2, 3   20
//	4       none      nothing
//
// Thread 1 has 110 J, 2 has 50 J, 3 has 20 J. A concurrency-oblivious account gives 180, 120 and
// 60 J: the over-attribution of Table 2 is 1.64, 2.40 and 3.00.
func TestAlgorithm1(t *testing.T) {
	run := func(t epochs.TID, probed bool) Run {
		return Run{Thread: t, CPU: CPU(t), Alone: 6 * ms, Probed: probed}
	}
	var windows []Window
	for active := range 4 {
		w := Window{Used: []units.Energy{60 * joule}}
		for t := range 3 {
			w.Runs = append(w.Runs, run(epochs.TID(t+1), active < 3 && t <= active))
		}
		windows = append(windows, w)
	}
	zones := []Zone{{Name: "package-0", CPUs: []CPU{1, 2, 3}}}
	aware, oblivious := booked(t, Equal, zones, windows), booked(t, Oblivious, zones, windows)
	for tid, want := range map[epochs.TID][2]units.Energy{
		1: {110 * joule, 180 * joule},
		2: {50 * joule, 120 * joule},
		3: {20 * joule, 60 * joule},
	} {
		if got := [2]units.Energy{thread(aware, tid), thread(oblivious, tid)}; got != want {
			t.Errorf("thread %d: %v, want %v", tid, got, want)
		}
	}
	if got := aware.Totals()[0].Idle; got != 60*joule {
		t.Errorf("%v idle, want the last epoch's", got)
	}
}

// TestEqualByProbes: a thread that has 6 ms of CPU time in each 100, beside one that runs all the
// time, is active at 6 of 100 probes and gets half of these windows, though it runs in all.
func TestEqualByProbes(t *testing.T) {
	l := New([]Zone{{Name: "package-0", CPUs: []CPU{0, 1}}}, rule(t, Equal), 0)
	b := NewBuilder(nil, func(w *Window) {
		if err := l.Book(w); err != nil {
			t.Fatal(err)
		}
	})
	b.Begin(0)
	const windows = 1000
	for i := range windows {
		from := units.Instant(i) * units.Instant(100*ms)
		to := from.Add(100 * ms)
		b.Slice(Slice{Thread: 1, CPU: 0, From: from, To: to})
		b.Slice(Slice{Thread: 2, CPU: 1, From: from.Add(30 * ms), To: from.Add(36 * ms)})
		b.Reading(to, []units.Energy{joule}, nil)
		b.Delivered(to)
	}
	l.Finish()
	share := float64(thread(l, 2)) / float64(windows*joule)
	if math.Abs(share-0.03) > 0.002 {
		t.Errorf("the thread with 6 %% of CPU time gets %.2f %%, want 3 %%", 100*share)
	}
}

// TestArtifact has an example made by hand, by the published programs' arithmetic. Socket 0 has two
// threads; the application has 60 of 80 ms of its busy time in the first window, so each gets 3/8
// of 80 J. Thread 2 ran on socket 1 as well, but was last on socket 0: it counts there alone, and
// nobody is on socket 1. In the next window only others run; their 20 ms count for the share of the
// third, which is 60 of 80 ms again.
func TestArtifact(t *testing.T) {
	zones := []Zone{{Name: "package-0", CPUs: []CPU{0, 1}}, {Name: "package-1", CPUs: []CPU{20}}}
	ran := []Run{
		{Thread: 1, CPU: 0, Alone: 40 * ms, Last: 100},
		{Thread: 2, CPU: 20, Alone: 30 * ms, Last: 40},
		{Thread: 2, CPU: 1, Alone: 20 * ms, Last: 90},
	}
	used := []units.Energy{80 * joule, 8 * joule}
	others := []Other{{CPU: 1, Time: 20 * ms}}
	l := booked(t, Artifact, zones, []Window{
		{Used: used, Runs: ran, Others: others},
		{Used: used, Others: others},
		{Used: used, Runs: ran},
	})
	for tid, want := range map[epochs.TID]units.Energy{1: 60 * joule, 2: 60 * joule} {
		if got := thread(l, tid); got != want {
			t.Errorf("thread %d has %v, want %v", tid, got, want)
		}
	}
	tot := l.Totals()
	if tot[0].Others != 120*joule || tot[0].Idle != 0 || tot[0].Unattributed != 0 {
		t.Errorf("socket 0: %+v", tot[0])
	}
	if tot[1].Attributed != 0 || tot[1].Others != 16*joule || tot[1].Idle != 8*joule {
		t.Errorf("socket 1: %+v", tot[1])
	}
}

// TestShareIsSmoothed: busy times of at most ten windows add up to a share, which is at most 1.
func TestShareIsSmoothed(t *testing.T) {
	var b busyTimes
	for i, s := range []struct {
		application, system time.Duration
		want                float64
	}{{30, 40, 0.75}, {0, 30, 0}, {0, 30, 0}, {30, 40, 0.3}, {50, 40, 1}, {5, 0, 1}} {
		if got := b.share(s.application, s.system); got != s.want {
			t.Errorf("share %d is %v, want %v", i, got, s.want)
		}
	}
	for range smoothed {
		b.share(0, 90)
	}
	if got := b.share(1, 2); got != 0.5 {
		t.Errorf("after ten windows without the application its share is %v, want 0.5", got)
	}
}

// BenchmarkBook is the cost of a window by each rule: eight threads on two CPUs, twenty samples.
func BenchmarkBook(b *testing.B) {
	w := Window{To: units.Instant(100 * ms), Used: []units.Energy{joule, joule / 10},
		Others: []Other{{CPU: 0, Time: 10 * ms}, {CPU: 1, Time: 10 * ms}}}
	for i := range 16 {
		w.Runs = append(w.Runs, Run{Thread: epochs.TID(i / 2), CPU: CPU(i % 2), Frequency: 2e9,
			Alone: 5 * ms, Shared: 5 * ms, Probed: i < 2, Last: units.Instant(i)})
	}
	for i := range 20 {
		w.Samples = append(w.Samples, Sample{Thread: epochs.TID(i % 8), Stack: StackID(1 + i)})
	}
	cpus := []CPU{0, 1}
	for _, name := range RuleNames {
		b.Run(name, func(b *testing.B) {
			r, err := NewRule(name, RuleConfig{})
			if err != nil {
				b.Fatal(err)
			}
			l := New([]Zone{{Name: "package-0", CPUs: cpus}, {Name: "dram-0", CPUs: cpus}}, r,
				10*ms)
			for b.Loop() {
				if err := l.Book(&w); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
