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

// Several is this computer with several tenants, as governor/many sees it. Events have tenants'
// numbers, which count from 1 in the order of the places.
//
// A tenant begins when it has a process, and ends when it has none any more. A cgroup can begin
// again, also as a cgroup made anew at the same place; a process cannot. The machine ends by Stop,
// by its context, or when all tenants are processes that have ended.
//
// Only one goroutine may call its methods, except Stop, Wake and Over.
type Several struct {
	Computer
	tenants    []*tenant       // by number - 1; nil: the number is free
	lookout    *cgroup.Lookout // nil: no tenant is a cgroup
	watched    []*tenant       // by the lookout's numbers; nil: it does not watch
	clock      units.Frequency // clock that the machine last reported; 0 before
	ran        []*tenant       // tenants that ran since the last tick
	given      cost            // ebb's own cost that tenants have been given
	bystanders *bystanders     // nil: no clock is governed for other programs
	doubts     []string        // sentences on what went wrong with some tenants
	say        func(string)    // called with each doubt as it comes; nil: doubts are kept
	ctx        context.Context // context of the last Next
	forget     func() bool     // releases the run from the context
	leaving    []*tenant       // tenants whose End is due
	later      []news          // news to take when these have ended
	stays      bool            // machine goes on without a tenant
	last       bool            // the reading at hand is the one after the end
	done       bool
	before     foreign // CPU time of other programs at the start
	foreign    foreign // CPU time of other programs at the end

	alive   context.Context // context of the goroutines that wait for news
	quit    context.CancelFunc
	waiting sync.WaitGroup

	mu      sync.Mutex // guards what follows
	news    []news
	asks    []ask    // requests to the lookout
	changes []func() // functions to call between two readings
	failed  error    // error after which the lookout looks no more
	stopped bool
}

// Location names where a tenant's threads are found: in the cgroup of a directory, which need not
// exist yet, or, if PID is set, in a process with its descendants.
type Location struct {
	Dir string
	PID int
}

// news is what a waiting goroutine has found out about a tenant.
type news struct {
	of     *tenant
	made   *cgroup.Cgroup // cgroup that was made; nil: none was
	filled bool           // made has processes
	failed error          // why the tenant cannot be looked for
	over   bool           // the tenant will not come again
	at     units.Instant  // time at which it had no process
}

// NewSeveral returns a machine for a tracer with bpf.Config.Tenants, and the tenants' places. Base
// is the frequency at which the machine runs.
func NewSeveral(tracer *bpf.Tracer, actuator cpufreq.Actuator, base units.Frequency,
	places []Location,
) *Several {
	m := &Several{Computer: Computer{tracer: tracer, actuator: actuator, base: base},
		forget: func() bool { return true }}
	m.alive, m.quit = context.WithCancel(context.Background())
	for i, p := range places {
		m.tenants = append(m.tenants, &tenant{number: arbiter.Tenant(i + 1), location: p})
	}
	return m
}

// Stay makes the machine go on when no tenant can come any more. Call it before Start.
func (s *Several) Stay() { s.stays = true }

// Start follows what exists of each tenant, and begins to wait for the rest. The error does not
// name a tenant: which is the number of the tenant that it is about, or 0.
func (s *Several) Start() (which arbiter.Tenant, err error) {
	s.before = s.strangers()
	// Processes come first: they belong to their tenant in whatever cgroup they are.
	for _, t := range s.tenants {
		if t.location.PID != 0 {
			if err := s.attach(t); err != nil {
				return t.number, err
			}
		}
	}
	var there entered
	defer there.close()
	for _, t := range s.tenants {
		if t.location.PID == 0 {
			if err := s.watch(t, &there); err != nil {
				return t.number, err
			}
		}
	}
	if which, err := s.walk(&there); err != nil {
		return which, err
	}
	if s.lookout != nil {
		s.waiting.Add(1)
		go s.lookOut()
	}
	return 0, nil
}

// Close ends the goroutines that wait for tenants. The tracer remains the caller's to close.
func (s *Several) Close() error {
	s.quit()
	s.forget()
	var err error
	if s.lookout != nil {
		err = s.lookout.Close()
	}
	s.waiting.Wait()
	if s.lookout != nil {
		s.lookout.Release()
	}
	for _, n := range append(s.later, s.news...) {
		if n.made != nil {
			err = errors.Join(err, n.made.Close())
		}
	}
	s.later, s.news, s.changes = nil, nil, nil
	return err
}

// Stop ends the run; the tenants live on. Any goroutine may call it.
func (s *Several) Stop() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.tracer.Wake()
}

// Over reports whether the run is to end. Any goroutine may call it.
func (s *Several) Over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// Doubts returns, in sentences, what went wrong with some of the tenants while the others were
// governed.
func (s *Several) Doubts() []string { return s.doubts }

// Foreign returns the CPU time of programs that are no tenant's, from Start to the end.
func (s *Several) Foreign() (time.Duration, error) {
	now := s.foreign
	if !s.done {
		now = s.strangers()
	}
	return max(now.sum-s.before.sum, 0), errors.Join(s.before.err, now.err)
}

// foreign is a sum over the CPUs, or the reason why it is not known.
type foreign struct {
	sum time.Duration
	err error
}

// strangers returns the CPU time of programs that are no tenant's since the tracer was opened.
func (s *Several) strangers() (f foreign) {
	times, err := s.tracer.Foreign()
	for _, t := range times {
		f.sum += t
	}
	f.err = err
	return f
}

// reading is the number of records that are read at once. Each may bring a few events more.
const reading = 256

// Next implements governor.Machine.
func (s *Several) Next(ctx context.Context, buf []governor.Event) (int, error) {
	if ctx != s.ctx {
		s.forget()
		s.ctx, s.forget = ctx, context.AfterFunc(ctx, s.Stop)
	}
	if s.sched == nil {
		s.sched = make([]epochs.Event, reading)
	}
	for {
		if n := s.outcomes(buf); n > 0 {
			return n, nil
		}
		if s.done {
			return 0, io.EOF
		}
		// News is taken before a reading begins, so that the reading has all records before an end.
		if s.tracer.Fresh() {
			s.hear()
			if err := s.tracer.TakeMoves(); err != nil {
				return 0, err
			}
			if len(s.pending) > 0 {
				continue
			}
		}
		n, err := s.tracer.Next(s.sched)
		if err == nil {
			err = s.tracer.TakeMoves()
		}
		if err != nil {
			return 0, err
		}
		for i := range s.sched[:n] {
			s.take(&s.sched[i])
		}
	}
}
