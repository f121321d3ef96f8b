package workload

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/simtest"
)

// Unlike returns programs whose threads differ in character for longer than a quantum: some compute
// while others wait for memory, and which of them the program waits for depends on the clock. A
// governor that looks at each quantum by itself takes the threads that wait for memory for the
// program's pace, and only the end of a section shows that it was the others. Each kind comes with
// sections of 10 to 500 ms at 4 GHz, with and without a thread that streams beside the others.
func Unlike() (list []simtest.Workload) {
	for _, k := range unlikeKinds {
		for _, d := range UnlikeLengths {
			list = append(list, unlike(k, d, false), unlike(k, d, true))
		}
	}
	return list
}

// UnlikeLengths are the lengths of the unlike programs' sections at 4 GHz.
var UnlikeLengths = []time.Duration{10 * time.Millisecond, 20 * time.Millisecond,
	60 * time.Millisecond, 150 * time.Millisecond, 300 * time.Millisecond, 500 * time.Millisecond}

// UnlikeKinds returns the names of the kinds of unlike programs.
func UnlikeKinds() (names []string) {
	for _, k := range unlikeKinds {
		names = append(names, k.name)
	}
	return names
}

// UnlikeName returns the name of an unlike program.
func UnlikeName(kind string, section time.Duration, traffic bool) string {
	name := fmt.Sprintf("%s.%v", kind, section)
	if traffic {
		name += ".traffic"
	}
	return name
}

// unlikeKind is a way in which threads depend on each other.
type unlikeKind struct {
	name    string
	threads int
	build   func(b *simtest.Builder, p *unlikeParts)
}

var unlikeKinds = []unlikeKind{
	{"sections", 4, buildSections},
	{"stages", 4, buildStages},
	{"shifts", 4, buildShifts},
	{"nested", 4, buildNested},
	{"fan", 4, buildFan},
	{"strangers", 4, buildStrangers},
}

// unlikeTotal is about how long an unlike program runs at 4 GHz.
const unlikeTotal = 8 * time.Second

func unlike(k unlikeKind, section time.Duration, traffic bool) simtest.Workload {
	return simtest.Workload{Name: UnlikeName(k.name, section, traffic), Threads: k.threads,
		Build: func(b *simtest.Builder) {
			p := &unlikeParts{section: float64(section) / float64(time.Millisecond),
				rounds: int(unlikeTotal / section), seed: k.name, all: run(b)}
			p.computes, p.waits = character{&compute, 5.4e6}, character{&chase, 0.9e6}
			p.streams = p.waits
			if traffic {
				p.computes, p.streams = character{&dataFlow, 3.4e6}, character{&sum, 2.4e6}
			}
			k.build(b, p)
		}}
}

// unlikeParts are the parts that an unlike program is made of.
type unlikeParts struct {
	section float64 // ms at 4 GHz
	rounds  int
	seed    string  // seed of the input
	all     float64 // factor of the run
	// The threads that compute, those that wait for memory, and the first of those, which may
	// stream.
	computes, waits, streams character
}

// character is a kind of code, and the instructions that take a ms at 4 GHz.
type character struct {
	mix   *simtest.Mix
	perMs float64
}

// run takes about ms at 4 GHz, in pieces of about one.
func (p *unlikeParts) run(t *simtest.Thread, c character, ms float64) {
	for ms *= p.all; ms > 0; ms-- {
		t.Run(c.mix, int64(c.perMs*min(ms, 1)))
	}
}

// character returns the character of the k-th thread: every second one computes.
func (p *unlikeParts) character(k int) character {
	switch {
	case k%2 == 0:
		return p.computes
	case k == 1:
		return p.streams
	}
	return p.waits
}

// lengths returns the rounds' lengths in ms, for each of n threads. In a round the threads that
// compute have about the same work; the others have 0.4 to 0.95 of its time at 4 GHz.
func (p *unlikeParts) lengths(n int) [][]float64 {
	r := input(p.seed)
	list := make([][]float64, p.rounds)
	for i := range list {
		round, others := p.section*vary(r, 0.3), 0.4+0.55*r.Float64()
		for k := range n {
			x := round * vary(r, 0.05)
			if k%2 == 1 {
				x *= others
			}
			list[i] = append(list[i], x)
		}
	}
	return list
}

// buildSections makes parallel sections: all threads begin together, and each section ends with its
// last thread.
func buildSections(b *simtest.Builder, p *unlikeParts) {
	together, lengths := b.Barrier(b.Threads()), p.lengths(b.Threads())
	for k := range b.Threads() {
		b.Thread("worker", simtest.App, func(t *simtest.Thread) {
			for i := range lengths {
				p.run(t, p.character(k), lengths[i][k])
				t.Arrive(together)
			}
		})
	}
}

// buildNested makes sections inside sections: within a section threads meet in pairs, one that
// computes and one that waits, three times as often as all do.
func buildNested(b *simtest.Builder, p *unlikeParts) {
	n := b.Threads()
	together, lengths := b.Barrier(n), p.lengths(n)
	pairs := make([]*simtest.Barrier, (n+1)/2)
	for i := range pairs {
		pairs[i] = b.Barrier(min(2, n-2*i))
	}
	for k := range n {
		b.Thread("worker", simtest.App, func(t *simtest.Thread) {
			for i := range lengths {
				for j := range 3 { // uneven thirds
					p.run(t, p.character(k), lengths[i][k]*float64(1+(i+j+k/2)%3)/6)
					t.Arrive(pairs[k/2])
				}
				t.Arrive(together)
			}
		})
	}
}

// buildStages makes a pipeline: a thread reads items and waits for memory, those between compute,
// one writes. Each item takes a section's time of a thread that computes. The reader is nearly as
// slow as they are, now slower and now faster.
func buildStages(b *simtest.Builder, p *unlikeParts) {
	n, r := b.Threads(), input(p.seed)
	between := max(n-2, 1)
	items := p.rounds * between
	type item struct{ read, treat, write float64 }
	work := make([]item, items)
	for i := range work {
		work[i] = item{p.section / float64(between) * 0.9 * vary(r, 0.4),
			p.section * vary(r, 0.3), p.section / float64(between) * 0.5 * vary(r, 0.4)}
	}
	first, second := newChannel(b, 2, items), newChannel(b, 2, items)
	b.Thread("reader", simtest.App, func(t *simtest.Thread) {
		for i := range work {
			p.run(t, p.streams, work[i].read)
			first.send(t)
		}
	})
	treated := 0
	for range between {
		b.Thread("treat", simtest.App, func(t *simtest.Thread) {
			for first.receive(t) {
				treated++
				p.run(t, p.computes, work[treated-1].treat)
				second.send(t)
			}
		})
	}
	b.Thread("writer", simtest.App, func(t *simtest.Thread) {
		for i := 0; second.receive(t); i++ {
			p.run(t, p.waits, work[i].write)
		}
	})
}

// buildFan has one thread that produces and computes, and several that consume what it hands out,
// each of its own queue, and wait for memory.
func buildFan(b *simtest.Builder, p *unlikeParts) {
	n := b.Threads()
	consumers := max(n-1, 1)
	lengths := p.lengths(2)
	queues := make([]*channel, consumers)
	for i := range queues {
		queues[i] = newChannel(b, 2, (p.rounds+consumers-1-i)/consumers)
	}
	b.Thread("producer", simtest.App, func(t *simtest.Thread) {
		for i := range lengths {
			p.run(t, p.computes, lengths[i][0])
			queues[i%consumers].send(t)
		}
	})
	for k := range consumers {
		b.Thread("consumer", simtest.App, func(t *simtest.Thread) {
			for i := k; queues[k].receive(t); i += consumers {
				p.run(t, p.character(2*k+1), lengths[i][1]*float64(consumers))
			}
		})
	}
}

// buildShifts has threads that always compute, each beside one that waits for memory for a section
// and sleeps for the next.
func buildShifts(b *simtest.Builder, p *unlikeParts) {
	lengths := p.lengths(b.Threads())
	for k := 0; k < b.Threads(); k += 2 {
		wake := b.Semaphore(1)
		b.Thread("computes", simtest.App, func(t *simtest.Thread) {
			for i := range lengths {
				p.run(t, p.computes, lengths[i][k])
				if i%2 == 1 {
					t.Up(wake)
				}
			}
		})
		if k+1 == b.Threads() {
			break
		}
		b.Thread("waits", simtest.App, func(t *simtest.Thread) {
			for i := 0; i < len(lengths); i += 2 {
				t.Down(wake)
				p.run(t, p.character(k+1), lengths[i][k+1])
			}
		})
	}
}

// buildStrangers has threads that never meet: every second one computes to the program's end, the
// others wait for memory for a section and then for a timer.
func buildStrangers(b *simtest.Builder, p *unlikeParts) {
	lengths := p.lengths(b.Threads())
	for k := range b.Threads() {
		if k%2 == 0 {
			b.Thread("computes", simtest.App, func(t *simtest.Thread) {
				for i := range lengths {
					p.run(t, p.computes, lengths[i][k])
				}
			})
			continue
		}
		b.Thread("waits", simtest.VM, func(t *simtest.Thread) {
			for i := 0; ; i = (i + 1) % len(lengths) {
				p.run(t, p.character(k), lengths[i][k])
				t.Sleep(time.Duration(p.section / 2 * float64(time.Millisecond)))
			}
		})
	}
}
