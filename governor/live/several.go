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
// tenants' numbers, which count from 1 in the order of the places.
//
// A tenant begins when it has a process, and ends when it has none any more. One that is a cgroup
// can begin again, also as a cgroup made anew at the same place; one that is a process cannot. The
// machine ends by Stop, by its context, or when all tenants are processes that have ended.
//
// Its methods belong to one goroutine, except Stop, Wake and Over.
type Several struct {
	Computer
	tenants    []*tenant       // by number - 1; nil where none has it
	lookout    *cgroup.Lookout // nil where no tenant is a cgroup
	watched    []*tenant       // by the lookout's numbers; nil where it watches none
	clock      units.Frequency // that the machine last reported; 0 before
	ran        []*tenant       // since the last tick
	given      cost            // of ebb's own, what tenants have got of it
	bystanders *bystanders     // nil where nothing is governed for those who are no tenant's
	doubts     []string        // what went wrong with some tenants, in sentences
	say        func(string)    // who hears doubts as they come; nil: they are kept
	ctx        context.Context // as in Host
	forget     func() bool     // has the context not end the run any more
	leaving    []*tenant       // those of which an End is due
	later      []news          // what is to be taken when those have come
	stays      bool            // it goes on without a tenant
	last       bool            // the reading at hand is the one after the end
	done       bool
	before     foreign // when it started
	foreign    foreign // when it was done

	alive   context.Context // of the goroutines that wait for news
	quit    context.CancelFunc
	waiting sync.WaitGroup

	mu      sync.Mutex // of what follows
	news    []news
	asks    []ask    // of the lookout
	changes []func() // to be made between two readings
	failed  error    // the lookout's, which looks no more
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
	failed error          // it cannot be looked for
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

// Stay has the machine go on when no tenant can come any more. Call it before Start.
func (m *Several) Stay() { m.stays = true }

// Start follows what there is of each tenant, and waits for what there is not yet. An error names
// no tenant: which is the number of the one that it is about, 0 where it is about none.
func (m *Several) Start() (which arbiter.Tenant, err error) {
	m.before = m.strangers()
	// Processes first: they are their tenant's in whatever cgroup they are.
	for _, t := range m.tenants {
		if t.place.PID != 0 {
			if err := m.attach(t); err != nil {
				return t.number, err
			}
		}
	}
	var there entered
	defer there.close()
	for _, t := range m.tenants {
		if t.place.PID == 0 {
			if err := m.watch(t, &there); err != nil {
				return t.number, err
			}
		}
	}
	if which, err := m.walk(&there); err != nil {
		return which, err
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
	for _, n := range append(m.later, m.news...) {
		if n.made != nil {
			err = errors.Join(err, n.made.Close())
		}
	}
	m.later, m.news, m.changes = nil, nil, nil
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

// Foreign is the CPU time of programs that are no tenant's, from Start to the end.
func (m *Several) Foreign() (time.Duration, error) {
	now := m.foreign
	if !m.done {
		now = m.strangers()
	}
	return max(now.sum-m.before.sum, 0), errors.Join(m.before.err, now.err)
}

// foreign is a sum over the CPUs, or why it is not known.
type foreign struct {
	sum time.Duration
	err error
}

// strangers is the CPU time of programs that are no tenant's since the tracer was opened.
func (m *Several) strangers() (f foreign) {
	times, err := m.tracer.Foreign()
	for _, t := range times {
		f.sum += t
	}
	f.err = err
	return f
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
			if err := m.tracer.Settle(); err != nil {
				return 0, err
			}
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
