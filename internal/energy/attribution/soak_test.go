package attribution

import (
	"flag"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
)

var soak = flag.Duration("soak", 0,
	"how long a run TestDayOfRandomStacks simulates; a day is 24h; 0: 5 min, with -short 1 min")

// mostHeap bounds the memory of the ledgers, the stacks and the records of threads and processes,
// with the test itself.
const mostHeap = 64 << 20

// Processes of the simulated day have ids that no kernel gives.
const (
	goodPID    = 5_000_000
	hostilePID = 5_000_001
)

// day is a program that does its worst: each of its stacks is another one, 512 frames deep, its
// threads and processes end all the time. Beside it runs a shell loop, and a program that does
// ordinary work.
type day struct {
	*script
	r       *rand.Rand
	now     time.Duration
	next    epochs.TID
	threads []epochs.TID // of the hostile program's, one for each process
	stacks  [][]uint64   // the good program's
	seen    []int        // the number of times that each was
	good    time.Duration
	all     time.Duration
}

// twoCPUs is a meter of both.
type twoCPUs struct{ steady }

func (*twoCPUs) Zones() []energy.Zone {
	return []energy.Zone{{Name: "package-0", CPUs: []energy.CPU{0, 1}, Source: energy.Measured}}
}

// TestDayOfRandomStacks feeds the samples of two CPUs at 99 Hz, of which three quarters are a
// hostile program's, and looks after the heap, the sums, and what is kept of the program that
// behaves well.
func TestDayOfRandomStacks(t *testing.T) {
	const seed = 20261122
	t.Log("seed", seed)
	lasts := *soak
	if lasts == 0 {
		lasts = time.Duration(devtest.Cases(5, 1)) * time.Minute
	}
	d := &day{script: newScript(t, 0), r: rand.New(rand.NewPCG(seed, 0)), next: hostilePID}
	d.cfg.Rate, d.cfg.Meter = 99, &twoCPUs{}
	var rules []energy.Rule
	for _, name := range energy.RuleNames {
		r, err := energy.NewRule(name, energy.RuleConfig{})
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	d.cfg.Rules, d.ledgers, d.started = rules, nil, false
	d.start(at(0))
	for i := range 300 {
		s := make([]uint64, 40)
		for j := range s {
			s[j] = uint64(i/(1+j)*1000 + j)
		}
		d.stacks = append(d.stacks, s)
	}
	d.seen = make([]int, len(d.stacks))
	most, looked := uint64(0), false
	for d.now = 0; d.now < lasts; {
		d.second()
		// It is largest just before something is folded.
		kept := d.Attributor.stacks.bytes + entryBytes*len(d.ledgers)*len(d.ledgers[0].Entries())
		if full := kept > maxBytes/10*9; full && looked || !full && d.now%time.Hour != 0 {
			looked = full
			continue
		}
		looked = true
		if most = max(most, d.heap()); most > mostHeap {
			t.Fatalf("after %v the heap is %d MiB: %d entries, %d KiB of stacks, %d threads, "+
				"%d lives, %d images", d.now, most>>20,
				len(d.ledgers[0].Entries()), d.Attributor.stacks.bytes>>10, len(d.people.all),
				len(d.lives.of), len(d.images.of))
		}
		for _, l := range d.ledgers {
			if err := l.Check(); err != nil {
				t.Fatalf("after %v: %v", d.now, err)
			}
		}
	}
	most = max(most, d.heap())
	d.check(d.finish(d.now))
	t.Logf("%v: at most %.1f MiB of heap, %d samples, %d threads", d.now, float64(most)/(1<<20),
		d.taken, d.next-hostilePID)
}

func (d *day) heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// second is a second of both CPUs, in windows of 100 ms. In each the first CPU has the good program
// for half of the time; each window has ten processes of the shell loop, too short to be sampled
// mostly.
func (d *day) second() {
	if len(d.threads) < 8 {
		d.threads = append(d.threads, d.begin())
	}
	for range 10 {
		for i := range 10 {
			t := d.begin()
			from := d.now + time.Duration(i)*ms
			d.on(0, t, from, from+ms, epochs.Exited)
			if i == 0 {
				d.look(t, t, from+ms/2, []uint64{1, 2, 3})
			}
		}
		d.on(0, goodPID, d.now+10*ms, d.now+60*ms, epochs.Preempted)
		for k := range 5 {
			n := int(float64(len(d.stacks)) * math.Pow(d.r.Float64(), 3))
			d.seen[n]++
			d.look(goodPID, goodPID, d.now+time.Duration(10+10*k)*ms, d.stacks[n])
		}
		hostile := d.threads[d.r.IntN(len(d.threads))]
		d.on(0, hostile, d.now+60*ms, d.now+100*ms, epochs.Preempted)
		other := d.begin() // a thread of its process
		d.on(1, other, d.now, d.now+100*ms, epochs.Exited)
		deep := make([]uint64, 512)
		for k := range 14 {
			for i := range deep {
				deep[i] = d.r.Uint64() >> 17
			}
			t, when := hostile, d.now+60*ms+time.Duration(k)*8*ms
			if k >= 4 {
				t, when = other, d.now+time.Duration(k-4)*10*ms
			}
			d.look(t, hostile, when, slices.Clone(deep))
		}
		d.now += 100 * ms
		d.tick(d.now)
	}
	if i := d.r.IntN(len(d.threads)); d.r.IntN(3) == 0 {
		d.on(1, d.threads[i], d.now, d.now+ms, epochs.Exited) // a process ends
		d.threads = slices.Delete(d.threads, i, i+1)
	}
}

// begin creates a thread. Ids come round as the kernel's do.
func (d *day) begin() epochs.TID {
	t := hostilePID + d.next%(1<<20)
	d.next++
	d.sched(epochs.Event{Kind: epochs.Fork, Thread: t, By: 1, At: at(d.now)})
	return t
}

func (d *day) on(cpu int16, t epochs.TID, from, to time.Duration, cause epochs.Cause) {
	d.sched(epochs.Event{Kind: epochs.Off, CPU: cpu, Thread: t, From: at(from), At: at(to),
		Cause: cause})
	if d.all += to - from; t == goodPID {
		d.good += to - from
	}
}

func (d *day) look(t, pid epochs.TID, when time.Duration, user []uint64) {
	d.waiting = append(d.waiting, stacks.Sample{At: at(when), Thread: t, PID: int(pid), User: user})
}

// check compares the profile with its input.
func (d *day) check(p *profile.Profile) {
	t := d.t
	var good, all int64
	var samples, whole int
	for i := range p.Stacks {
		s := &p.Stacks[i]
		all += s.EnergyNJ[1]
		samples += s.Samples
		if p.Threads[s.Thread].PID != goodPID {
			continue
		}
		good += s.EnergyNJ[1]
		if len(s.Frames) == 40 {
			whole++
		}
	}
	if want := int64(d.taken); int64(samples) != want {
		t.Errorf("%d samples in the profile, %d taken", samples, want)
	}
	got, want := float64(good)/float64(all), float64(d.good)/float64(d.all)
	if math.Abs(got/want-1) > 0.001 {
		t.Errorf("the good program has %.4f %% of the energy, not %.4f %%", 100*got, 100*want)
	}
	// Addresses that cannot be named are one frame each, so stacks stay apart by number; each has
	// its own samples.
	seen := map[energy.StackID]int{}
	for u, e := range d.ledgers[1].Entries() {
		if u.Thread == goodPID {
			if d.Attributor.stacks.at(u.Stack).kept != keptWhole {
				t.Errorf("a stack of the good program is shortened")
			}
			seen[u.Stack] += e.Samples
		}
	}
	for i, want := range d.seen {
		if id := d.Attributor.stacks.intern(d.images.at(goodPID, at(d.now)), nil, d.stacks[i],
			protocol.Chained); seen[id] != want {
			t.Errorf("stack %d of the good program has %d samples, not %d", i, seen[id], want)
		}
	}
}
