package eval

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/sim"
	"github.com/ebb-energy/ebb/simtest"
)

type decisions struct {
	n map[string]int
	k int
}

func (d *decisions) Observe(ev *governor.Event, as []governor.Action) {
	for _, a := range as {
		if a.Kind == governor.Decided {
			q := a.Quantum
			d.n[string(q.Reason)]++
			d.k++
			if d.k < 25 {
				fmt.Printf("  %v dur %v del %v max %.0f ateff %.0f ep %d busy %v run %v ins %d hole %v stale %v lost %d -> %v slack %v %s\n", q.Start, q.Dur, q.Delivered, q.Max, q.AtEffective, q.Epochs, q.Busy, q.ThreadRun, q.Instructions, q.Hole, q.Stale, q.Lost, q.Chosen, q.Slack, q.Reason)
			}
		}
	}
}

func TestDebug(t *testing.T) {
	w := os.Getenv("W")
	if w == "" {
		t.Skip()
	}
	for _, by := range []Controller{Printed, Ebb} {
		x := on(w, within(by, ratio(5)))
		x.Seed = 1
		p, wl := x.profile(), x.program()
		cfg, o := governorConfig(x, &p)
		g, err := governor.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		m, err := simtest.New(p, wl, o)
		if err != nil {
			t.Fatal(err)
		}
		d := decisions{n: map[string]int{}}
		fmt.Println(by)
		if err := governor.Run(context.Background(), g, sim.NewMachine(m), &d); err != nil {
			t.Fatal(err)
		}
		fmt.Println(by, d.n, m.Truth().Wall)
	}
}

func TestStats(t *testing.T) {
	for _, w := range names(every) {
		x := base(w, 0, 4*ghz)
		x.Seed = 1
		c, err := newCounted(x.profile(), x.program(), simtest.Options{Seed: 1, Exact: true, Counters: counterSets[0]})
		if err != nil {
			t.Fatal(err)
		}
		holes := 0
		n := 0
		err = eachEpoch([]*counted{c}, func(e *epochs.Epoch) {
			n++
			if e.Hole {
				if holes == 0 {
					fmt.Printf("%s first hole at %d dur %d rows %v ends %v\n", w, e.Start, e.Dur, e.Rows, e.Ends)
				}
				holes++
			}
		})
		fmt.Printf("%s: %d epochs %d holes, %+v %v late %d early %d\n", w, n, holes, c.assembler.Stats(), err, c.reorder.Late(), c.reorder.Early())
	}
}

func TestEvents(t *testing.T) {
	x := base("pmd", 0, 4*ghz)
	m, err := simtest.New(x.profile(), x.program(), simtest.Options{Seed: 1, Exact: true, Counters: counterSets[0]})
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]simtest.Event, 60)
	for k := 0; k < 60; {
		n, _ := m.Next(buf)
		for _, e := range buf[:n] {
			fmt.Printf("%d at %v %+v\n", e.Kind, e.At, e.Sched)
		}
		k += n
	}
}
