package simtest

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/simtest/hardware"
)

// TestTimeSharingIsFair: eight threads on four cores take twice as long as on eight, take turns,
// and get equal parts.
func TestTimeSharingIsFair(t *testing.T) {
	const n = 200_000_000
	eight := static(t, paper().WithCores(8), alone(&computeMix, 8, n), Options{Seed: 1}, 2*testGHz)
	four := static(t, paper(), alone(&computeMix, 8, n), Options{Seed: 1}, 2*testGHz)
	if r := four.Wall.Seconds() / eight.Wall.Seconds(); r < 1.99 || r > 2.01 {
		t.Errorf("%v on four cores, %v on eight", four.Wall, eight.Wall)
	}
	for _, x := range four.Threads {
		if turns := four.Wall / (2 * paper().TimeSlice); x.Switches < int64(turns)*8/10 ||
			x.Switches > int64(turns)*12/10 {
			t.Errorf("thread %d left its core %d times in %v", x.ID, x.Switches, four.Wall)
		}
		if x.Ready < four.Wall*4/10 {
			t.Errorf("thread %d waited for a core for %v of %v", x.ID, x.Ready, four.Wall)
		}
	}
	if four.Busy+four.Idle != 4*four.Wall || four.Idle > four.Wall/50 {
		t.Errorf("cores idle for %v of %v while threads waited for them", four.Idle, 4*four.Wall)
	}
}

// TestNoCoreIdlesWhileThreadsWait holds at every record.
func TestNoCoreIdlesWhileThreadsWait(t *testing.T) {
	for _, cores := range []int{1, 2, 3} {
		m := newMachine(t, paper().WithCores(cores), busyProgram(4, 100), Options{Seed: 6})
		for !m.ended {
			if err := m.step(); err != nil {
				t.Fatal(err)
			}
			waiting, idle := 0, 0
			for _, c := range m.cores {
				waiting += len(c.queue)
				if c.t == nil {
					idle++
				}
			}
			if waiting > 0 && idle > 0 && !m.ended {
				t.Fatalf("%d threads wait for a core at %v, %d cores are idle", waiting,
					m.now.since(), idle)
			}
			m.out.discard()
		}
	}
}

// TestMigrationPaysForCaches: a thread that comes to another core pays for the caches it left.
func TestMigrationPaysForCaches(t *testing.T) {
	w := Workload{Name: "moves", Threads: 1, Build: func(b *Builder) {
		b.Thread("app", App, func(t *Thread) { t.Run(&computeMix, 20_000_000) })
	}}
	p := paper()
	stay := static(t, p, w, Options{Seed: 1}, 2*testGHz)
	off := hardware.FaultPlan{Outages: []hardware.Outage{
		{From: time.Millisecond, To: 2 * time.Millisecond, Core: 0}}}
	if tr := static(t, p, w, Options{Seed: 1, Faults: off}, 2*testGHz); tr.Wall != stay.Wall {
		t.Errorf("core 0 went off: %v, else %v", tr.Wall, stay.Wall)
	}
	w2 := alone(&computeMix, 2, 20_000_000)
	stay = static(t, p, w2, Options{Seed: 1}, 2*testGHz)
	off = hardware.FaultPlan{Outages: []hardware.Outage{
		{From: time.Millisecond, To: 3 * time.Millisecond, Core: 1}}}
	tr := static(t, p, w2, Options{Seed: 1, Faults: off}, 2*testGHz)
	moved := tr.Threads[1]
	cost := time.Duration(p.MigrateNs + p.SwitchCycles/2)
	if moved.Migrations != 1 || (moved.Run-stay.Threads[1].Run-cost).Abs() > 2 {
		t.Errorf("moved %d times, ran %v, without %v; a move costs %v", moved.Migrations, moved.Run,
			stay.Threads[1].Run, cost)
	}
}

// TestThreadsSurviveAnOutage: threads of a core that is taken off go on elsewhere, and it works
// again when it is back.
func TestThreadsSurviveAnOutage(t *testing.T) {
	off := hardware.FaultPlan{Outages: []hardware.Outage{{From: 2 * time.Millisecond,
		To: 6 * time.Millisecond, Core: 2}}}
	m := newMachine(t, paper(), alone(&computeMix, 4, 100_000_000), Options{Seed: 1, Faults: off})
	from, to := Beginning.Add(2*time.Millisecond), Beginning.Add(6*time.Millisecond)
	back := false
	events(t, m, func(ev *Event) {
		if ev.Kind != Sched || ev.Sched.CPU != 2 || ev.Sched.Thread == epochs.NoThread {
			return
		}
		if ev.Sched.Kind == epochs.On && ev.At > from && ev.At < to {
			t.Errorf("a thread comes to core 2 at %d, when it is off", ev.At)
		}
		back = back || ev.Sched.Kind == epochs.On && ev.At >= to
	})
	if !back {
		t.Error("no thread came to core 2 after it was back")
	}
}

// TestSleepLasts: a thread that sleeps is back after its time and the wake's way.
func TestSleepLasts(t *testing.T) {
	var woke time.Duration
	w := Workload{Name: "sleep", Threads: 1, Build: func(b *Builder) {
		b.Thread("app", App, func(t *Thread) {
			t.Run(&computeMix, 1000)
			before := t.m.now
			t.Sleep(time.Millisecond)
			woke = (t.m.now - before).since()
		})
	}}
	static(t, paper(), w, Options{Seed: 1}, testGHz)
	p := paper()
	want := time.Millisecond + p.WakeLatency + time.Duration(p.FutexCycles)
	if (woke - want).Abs() > 2 {
		t.Errorf("slept %v, want %v", woke, want)
	}
}

// TestArrivals: a timed arrival comes at its time, and no thread is the waker of the one that waits
// for it.
func TestArrivals(t *testing.T) {
	const n = 50
	served := 0
	w := Workload{Name: "server", Threads: 1, Build: func(b *Builder) {
		in := b.Port()
		for i := range n {
			b.Later(time.Duration(i+1)*time.Millisecond, in.Post)
		}
		b.Thread("app", App, func(t *Thread) {
			for range n {
				t.Down(in)
				served++
				t.Run(&computeMix, 100_000)
			}
		})
	}}
	m := newMachine(t, paper(), w, Options{Seed: 1})
	woken := 0
	events(t, m, func(ev *Event) {
		if ev.Kind != Sched {
			return
		}
		if ev.Sched.Kind == epochs.On && ev.Sched.Cause == epochs.Woken {
			woken++
			if ev.Sched.By != epochs.NoThread || ev.Sched.WokenAt%1_000_000 != 0 {
				t.Errorf("woken by %d at %d", ev.Sched.By, ev.Sched.WokenAt)
			}
		}
		if ev.Sched.Kind == epochs.Off && ev.Sched.Cause == epochs.FutexSleep {
			t.Error("waits for input in a futex")
		}
	})
	if served != n || woken != n {
		t.Errorf("%d served, %d wakes, want %d", served, woken, n)
	}
}

// TestTurnsInATransition: a time slice that ends while the cores stand still for a change of the
// clock ends all the same.
func TestTurnsInATransition(t *testing.T) {
	p := paper().WithCores(1)
	// the first turn is short, for the thread that comes after it
	end := p.TimeSlice/4 + p.TimeSlice
	for late := range 4 {
		w := alone(&computeMix, 2, 50_000_000)
		build := w.Build
		var m *Computer
		w.Build = func(b *Builder) {
			build(b)
			b.Later(end-time.Duration(late)*time.Microsecond, func() { m.Request(testGHz) })
		}
		m = newMachine(t, p, w, Options{Seed: 1})
		var preempted []Event
		for _, ev := range events(t, m, nil) {
			if ev.Kind == Sched && ev.Sched.Cause == epochs.Preempted {
				preempted = append(preempted, ev)
			}
		}
		if len(preempted) < 2 || preempted[1].At != Beginning.Add(end) {
			t.Errorf("a request %d us before the second turn's end at %v: %d turns, %+v", late, end,
				len(preempted), preempted[:min(2, len(preempted))])
		}
	}
}
