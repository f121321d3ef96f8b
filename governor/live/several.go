package live

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/units"
)

// Several is this computer with several tenants on it, as governor/many sees it. Events have
// tenants' numbers, which count from 1 in the order of Open's places.
//
// A tenant begins when it has a process, and ends when it has none any more. One that is a cgroup
// can begin again, also as a cgroup made anew at the same place; one that is a process cannot. The
// machine ends by Stop, by its context, or when all tenants are processes that have ended.
//
// Its methods belong to one goroutine, except Stop, Wake and Over.
type Several struct {
	Computer
	tenants []*tenant
	lookout *cgroup.Lookout // nil where no tenant is a cgroup
	watched []*tenant       // by the lookout's numbers
	clock   units.Frequency // that the machine last reported; 0 before
	ran     []*tenant       // since the last tick
	told    cost            // of ebb's own, what tenants have got of it
	rest    *rest           // nil where nothing is governed for those who are no tenant's
	doubts  []string        // what went wrong with some tenants, in sentences
	ctx     context.Context // as in Host
	forget  func() bool     // has the context not end the run any more
	leaving []*tenant       // those of which an End is due
	last    bool            // the reading at hand is the one after the end
	done    bool

	alive   context.Context // of the goroutines that wait for news
	quit    context.CancelFunc
	waiting sync.WaitGroup

	mu      sync.Mutex // of what follows
	news    []news
	failed  error // the lookout's; it tells no more
	stopped bool
}

// Place says where a tenant's threads are found: in the cgroup of a directory, which need not be
// there yet, or, where it is set, in a process with its descendants.
type Place struct {
	Dir string
	PID int
}

// news is what a goroutine that waits has found.
type news struct {
	of     *tenant
	made   *cgroup.Cgroup // not nil: it is there now
	filled bool           // and has processes
	over   bool           // it will not come again
	at     units.Instant  // when it had none
}

// NewSeveral takes a tracer with bpf.Config.Tenants, and the tenants' places. Base is the frequency
// that the machine runs at.
func NewSeveral(tracer *bpf.Tracer, actuator cpufreq.Actuator, base units.Frequency,
	places []Place,
) *Several {
	m := &Several{Computer: Computer{tracer: tracer, actuator: actuator, base: base},
		forget: func() bool { return true }}
	m.alive, m.quit = context.WithCancel(context.Background())
	for i, p := range places {
		m.tenants = append(m.tenants, &tenant{number: arbiter.Tenant(i + 1), place: p})
	}
	return m
}

// Start follows what there is of each tenant, and waits for what there is not yet. An error names
// no tenant: which is the number of the one that it is about, 0 where it is about none.
func (m *Several) Start() (which arbiter.Tenant, err error) {
	// Processes first: they are their tenant's in whatever cgroup they are.
	for _, t := range m.tenants {
		if t.place.PID != 0 {
			if err := m.attach(t); err != nil {
				return t.number, err
			}
		}
	}
	for _, t := range m.tenants {
		if t.place.PID == 0 {
			if err := m.watch(t); err != nil {
				return t.number, err
			}
		}
	}
	if m.lookout != nil {
		m.waiting.Add(1)
		go m.lookOut()
	}
	return 0, nil
}

// Close ends what waits for tenants. The tracer stays the caller's.
func (m *Several) Close() error {
	m.quit()
	m.forget()
	var err error
	if m.lookout != nil {
		err = m.lookout.Close()
	}
	m.waiting.Wait()
	if m.lookout != nil {
		m.lookout.Release()
	}
	for _, n := range m.news {
		if n.made != nil {
			err = errors.Join(err, n.made.Close())
		}
	}
	m.news = nil
	return err
}

// Stop ends the run; the tenants live on. It may be called from any goroutine.
func (m *Several) Stop() {
	m.mu.Lock()
	m.stopped = true
	m.mu.Unlock()
	m.tracer.Wake()
}

// Over reports whether the run is to end. It may be called from any goroutine.
func (m *Several) Over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stopped
}

// Doubts are what went wrong with some of the tenants, in sentences, while the others were
// governed.
func (m *Several) Doubts() []string { return m.doubts }

// Foreign is the CPU time of programs that are no tenant's, since the tracer was opened.
func (m *Several) Foreign() (sum time.Duration, err error) {
	times, err := m.tracer.Foreign()
	for _, t := range times {
		sum += t
	}
	return sum, err
}

// reading is the number of records that are taken at once: each may come with a few events more.
const reading = 256

// Next implements governor.Machine.
func (m *Several) Next(ctx context.Context, buf []governor.Event) (int, error) {
	if ctx != m.ctx {
		m.forget()
		m.ctx, m.forget = ctx, context.AfterFunc(ctx, m.Stop)
	}
	if m.sched == nil {
		m.sched = make([]epochs.Event, reading)
	}
	for {
		if n := m.outcomes(buf); n > 0 {
			return n, nil
		}
		if m.done {
			return 0, io.EOF
		}
		// News is taken before a reading begins, so that the reading has everything before an end.
		if m.tracer.Fresh() {
			m.hear()
			if len(m.pending) > 0 {
				continue
			}
		}
		n, err := m.tracer.Next(m.sched)
		if err == nil {
			err = m.tracer.Settle()
		}
		if err != nil {
			return 0, err
		}
		for i := range m.sched[:n] {
			m.take(&m.sched[i])
		}
	}
}

// Apply implements governor.Machine.
func (m *Several) Apply(a governor.Action) error {
	if a.Kind == governor.SetFrequency {
		m.rest.asked(a.Frequency)
	}
	before := len(m.pending)
	err := m.Computer.Apply(a)
	for _, ev := range m.pending[before:] {
		m.clock = ev.Frequency
	}
	return err
}

// take takes a record of the scheduler's.
func (m *Several) take(ev *epochs.Event) {
	switch {
	case ev.Kind == epochs.Tick:
		m.tick(ev)
		return
	case ev.Kind == epochs.Lost:
		m.emit(governor.Event{Kind: governor.Sched, Sched: *ev})
		return
	case ev.Tenant == 0 || int(ev.Tenant) > len(m.tenants):
		return
	}
	t := m.tenants[ev.Tenant-1]
	if t.present && t.emptied != 0 && ev.At > t.emptied && ev.Kind == epochs.Fork {
		m.end(t) // a process came into the cgroup that was empty a moment ago
	}
	if !t.present {
		if t.over || ev.Kind != epochs.Fork && ev.Kind != epochs.On {
			return // the rest of one that has ended
		}
		m.begin(t, ev.At)
	}
	t.seen = max(t.seen, ev.At)
	if (ev.Kind == epochs.Off || ev.Kind == epochs.Slice) && ev.From > 0 && ev.At > ev.From {
		if t.ran == 0 {
			m.ran = append(m.ran, t)
		}
		t.ran += ev.At.Sub(ev.From)
	}
	m.emit(governor.Event{Kind: governor.Sched, Sched: *ev})
}

// tick takes the end of a reading: the ends of tenants, what was measured, and the tick itself.
func (m *Several) tick(ev *epochs.Event) {
	for _, t := range m.leaving {
		if t.emptied != 0 {
			m.end(t)
		}
	}
	m.leaving = m.leaving[:0]
	var buf [1]governor.Event
	if m.metered(buf[:], ev.At) > 0 {
		m.emit(buf[0])
	}
	ran := len(m.ran) > 0
	m.share(ev.At)
	m.rest.tick(m, ev.At, ran)
	m.emit(governor.Event{Kind: governor.Sched, Sched: *ev})
	m.ticked = max(m.ticked, ev.At)
	if !m.last {
		return
	}
	for _, t := range m.tenants {
		m.end(t)
	}
	m.rest.end(m)
	m.done = true
}

func (m *Several) emit(ev governor.Event) { m.pending = append(m.pending, ev) }

// hear takes what the goroutines have found since the last reading.
func (m *Several) hear() {
	m.mu.Lock()
	all, stopped, failed := m.news, m.stopped, m.failed
	m.news, m.failed = nil, nil
	m.mu.Unlock()
	if failed != nil {
		m.doubts = append(m.doubts,
			failed.Error()+": cgroups that came and went since were not seen")
	}
	for i := range all {
		m.learn(&all[i])
	}
	m.last = m.last || stopped || m.allOver()
	if m.last || len(m.leaving) > 0 {
		m.tracer.Wake() // for the tick: there need be no bell, and the wake before may be served
	}
}

// allOver reports whether no tenant can come any more.
func (m *Several) allOver() bool {
	for _, t := range m.tenants {
		if !t.over {
			return false
		}
	}
	return true
}

// tell hands news to the goroutine that governs.
func (m *Several) tell(n news) {
	m.mu.Lock()
	m.news = append(m.news, n)
	m.mu.Unlock()
	m.tracer.Wake()
}
