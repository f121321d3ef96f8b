package guardian

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/shelter"
	"github.com/ebb-energy/ebb/units"
)

const (
	// startTime bounds the time until a guardian stands by.
	startTime = 15 * time.Second
	// endTime bounds the time until it ends on ebb's request. Then ebb kills it.
	endTime = time.Second
	// restarts is the number of guardians that may die before ebb gives the frequencies up, and of
	// deputies before it goes on without one.
	restarts = 1
)

// errStalled: ebb did nothing for so long that the guardian has put the frequencies back.
var errStalled = errors.New("ebb stalled, and its guardian put the frequencies back")

// Guardian is ebb's side of the guardian and its deputy. Begin, Take, PutBack, Watch and Began
// belong to one goroutine, as does Close after them.
type Guardian struct {
	place  cpufreq.Hold // descriptors that the processes are started with
	hold   cpufreq.Hold // descriptors of what they put back; empty before Take
	page   *page
	shared *os.File // file of the page
	limit  time.Duration
	back   units.Instant // time at which ebb saw that it had stalled; 0 before
	// began ends the goroutine that shows that ebb is alive while it begins; nil: there is none.
	began   chan struct{}
	beating sync.WaitGroup
	// ebb and each guardian hold whole open, and write nothing to it. The deputy, which holds
	// rest, learns by it that all of them have ended.
	rest, whole *os.File

	lost       atomic.Pointer[error] // reason why no frequency may be set any more
	attended   bool                  // attendants wait for the processes' ends
	attendants sync.WaitGroup

	mu       sync.Mutex // guards the fields below
	guardian *sentry    // nil while none stands by
	deputy   *sentry    // nil while none stands by
	alarm    int        // -1: none yet
	closing  bool
	deaths   int // number of guardians that have died
	deputies int // number of deputies that have died
	cost     Cost
}

// Cost holds the resources that guardians have used.
type Cost struct {
	CPU time.Duration
	// PeakRSS is the most memory that a guardian and a deputy have had resident, in bytes; 0 when
	// not known.
	PeakRSS int64
}

// Start starts a guardian and a deputy over a place, which has no lock and no snapshot yet. From
// now on whatever ebb makes there is removed when ebb is killed. All three are in cgroups that root
// alone can write.
//
// In a container it fails with a cpufreq.WithheldError, unless accepted says that the clocks may
// stay as they are when the container is ended; then the place must be shared with the host.
func Start(place cpufreq.Hold, accepted bool) (_ *Guardian, err error) {
	if !able {
		return nil, errors.New("start the guardian: this program does not ask whether it is one")
	}
	if err := findShelter(place, accepted); err != nil {
		return nil, err
	}
	g := &Guardian{place: place, alarm: -1}
	defer func() {
		if err != nil {
			err = fmt.Errorf("start the guardian, without which no frequency is set: %w", err)
			err = errors.Join(err, g.Close())
		}
	}()
	if g.page, g.shared, err = newPage(); err != nil {
		return nil, err
	}
	if g.rest, g.whole, err = os.Pipe(); err != nil {
		return nil, err
	}
	if g.guardian, err = g.begin(command, g.whole); err != nil {
		return nil, err
	}
	if g.deputy, err = g.begin(deputyCommand, g.rest); err != nil {
		return nil, err
	}
	return g, nil
}

// findShelter finds a cgroup for ebb and its guardians that nobody but root can end.
func findShelter(place cpufreq.Hold, accepted bool) error {
	in, err := shelter.Container()
	if err != nil {
		return err
	}
	if in != "" && !accepted {
		return &cpufreq.WithheldError{Reason: "ebb is in " + in + ", as in a container, whose " +
			"end would end ebb and its guardian at once, and leave the clocks as they are; " +
			"--accept-container-end sets them all the same"}
	}
	if in != "" {
		if shared, err := shelter.Shared(place.Path); err != nil || !shared {
			return errors.Join(err, fmt.Errorf("ebb is in %s, as in a container, and %s is not "+
				"mounted from the host's, so nothing would put the clocks back after its end", in,
				place.Path))
		}
	}
	if err := shelter.Enter(); err != nil {
		return fmt.Errorf("keep ebb and its guardian where nobody else can end both: %w", err)
	}
	return nil
}

// Over does what Start and Begin do, for cpufreq.Config.Guard: it starts a guardian where
// frequencies are set without a target, which watches ebb until it is closed.
func Over(place cpufreq.Hold) (cpufreq.Guard, error) {
	g, err := Start(place, false)
	if err != nil {
		return nil, err
	}
	g.Begin()
	return g, nil
}

// Take implements cpufreq.Guard: both processes stand by when it returns.
func (g *Guardian) Take(h cpufreq.Hold) error {
	g.hold = h
	both := []*sentry{g.guardian, g.deputy} // the deputy counts on the guardian to have it
	for _, s := range both {
		if err := s.hand(h); err != nil {
			return fmt.Errorf("hand over to the guardian, without which no frequency is set: %w",
				err)
		}
	}
	for _, s := range both {
		if err := s.stands(); err != nil {
			return fmt.Errorf("start the guardian, without which no frequency is set: %w", err)
		}
	}
	guardian, deputy := g.guardian, g.deputy
	g.attended = true
	g.attendants.Go(func() { g.attend(guardian, &g.guardian, &g.deaths) })
	g.attendants.Go(func() { g.attend(deputy, &g.deputy, &g.deputies) })
	return nil
}

// attend waits for one of the two processes to end, and replaces it. place is the field that holds
// it, and deaths counts those of its role that died.
func (g *Guardian) attend(s *sentry, place **sentry, deaths *int) {
	for s != nil {
		state := s.wait()
		g.mu.Lock()
		*place = nil
		g.cost.CPU += state.UserTime() + state.SystemTime()
		again := !g.closing && g.mourn(state, deaths)
		g.mu.Unlock()
		if s = nil; again {
			s = g.replace(place)
		}
	}
}

// mourn reports whether one that has ended is replaced. Until then the other one stands by, so ebb
// goes on; where there is no other, ebb gives the frequencies up at once.
func (g *Guardian) mourn(state *os.ProcessState, deaths *int) bool {
	*deaths++
	err := fmt.Errorf("its guardian ended (%v)", state)
	switch {
	case g.guardian == nil && g.deputy == nil:
		g.giveUp(fmt.Errorf("%w, and its deputy had ended as well", err))
		return false
	case *deaths <= restarts:
		return true
	case g.guardian == nil:
		g.giveUp(err)
	}
	return false
}

// replace starts another guardian or deputy in a place; nil when it could not, or ebb ends.
func (g *Guardian) replace(place **sentry) *sentry {
	role, peers := command, g.whole
	if place == &g.deputy {
		role, peers = deputyCommand, g.rest
	}
	s, err := g.begin(role, peers)
	if err == nil {
		err = s.stands()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil && g.alarm >= 0 {
		err = s.say(watch, g.alarm)
	}
	if err == nil && !g.closing {
		*place = s
		return s
	}
	if s != nil {
		release := s.dismiss()
		s.wait()
		release()
	}
	if err != nil && role == command && !g.closing {
		g.giveUp(fmt.Errorf("its guardian died, and no other could be started: %w", err))
	}
	return nil
}

// giveUp has no frequency set from now on, and puts all back.
func (g *Guardian) giveUp(err error) {
	err = fmt.Errorf("ebb put the frequencies back: %w", err)
	// First, so that no later write goes unseen.
	if !g.lost.CompareAndSwap(nil, &err) {
		return
	}
	// Whoever sets frequencies sees it with the next one; nobody knows when that is.
	if heir, err := cpufreq.NewHeir(g.hold, os.Getpid()); err == nil {
		_, _ = heir.PutBack() // a failure is tried again when ebb ends
		heir.Leave()
	}
}

// Watch has the guardian put the frequencies back when alarm becomes readable, which it does when
// ebb has stalled for limit, and the deputy as well, since a stalled ebb replaces no guardian. Both
// write the same. The descriptor stays the caller's, and open until Close.
func (g *Guardian) Watch(alarm int, limit time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.alarm = alarm
	if g.page.putBack.Load() == 0 { // else ebb stalled while it began
		g.limit = limit
	}
	for _, s := range []*sentry{g.guardian, g.deputy} {
		if s == nil {
			continue // the process is being replaced, or lost says why there is none
		}
		// One that has just died is replaced, and the next one hears of the alarm.
		if err := s.say(watch, alarm); err != nil && !errors.Is(err, unix.EPIPE) {
			return err
		}
	}
	return nil
}

// PutBack implements cpufreq.Guard.
func (g *Guardian) PutBack() error {
	if g.page.putBack.Load() != 0 {
		if g.back == 0 {
			g.back = monotonic.Now()
		}
		return errStalled
	}
	if lost := g.lost.Load(); lost != nil {
		return *lost
	}
	return nil
}

// Close implements cpufreq.Guard: both processes end and leave the frequencies as they are.
func (g *Guardian) Close() error {
	g.Began()
	if g.page != nil {
		_ = g.PutBack() // reports also a stall after the last write
	}
	g.mu.Lock()
	g.closing = true
	left := []*sentry{g.guardian, g.deputy}
	for _, s := range left {
		if s != nil {
			g.cost.PeakRSS += s.memory()
			defer s.dismiss()()
		}
	}
	g.mu.Unlock()
	g.attendants.Wait()
	for _, s := range left {
		if s != nil && !g.attended {
			s.wait()
		}
	}
	for _, f := range []*os.File{g.shared, g.rest, g.whole} {
		if f != nil {
			f.Close() // nothing was written to it
		}
	}
	return nil
}
