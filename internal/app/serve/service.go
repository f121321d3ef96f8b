package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// serving is a run of tenants without an end.
type serving struct {
	// Load reads the tenants, all or none. An empty set is no error: nothing is governed then, and
	// the clocks are the kernel's.
	Load func() (config.Tenants, error)
	// Supervisor learns how the service is.
	Supervisor supervisor
	// Board gets the figures of the tenants, for others to read; nil: nobody reads them.
	Board *board.Writer
	// Leases brings the tenants that come and go by themselves; nil: there are none.
	Leases *leaseDesk
	// Open is called once the tenants have been read for the first time.
	Open func() error
}

// supervisor has started a service and looks after it.
type supervisor interface {
	Ready(status string)
	Reloading()
	Stopping()
	// Alive says that the service did its work. A supervisor that hears nothing for Patience takes
	// the service for hung; 0: it does not look.
	Alive()
	Patience() time.Duration
}

// service is a service that runs.
type service struct {
	*serving
	settings *run.Settings
	std      command.Stdio
	signals  *command.Signals
	reloads  chan struct{}    // holds a value where a reload is wanted
	loading  chan loaded      // gets what is being read; nil: nothing is
	long     <-chan time.Time // fires once where that takes long
	began    time.Time
	leasing  leasing
}

// loaded is what Load has found.
type loaded struct {
	set config.Tenants
	err error
}

// governTenants governs tenants until SIGTERM or SIGINT, which end it without an error. SIGHUP has
// the tenants read again. Errors are as Execute's, and include mistakes in the tenants at the
// start.
func governTenants(ctx context.Context, s *run.Settings, with *serving, std command.Stdio) error {
	if err := s.Complete(nil); err != nil {
		return err
	}
	if !s.WritesNothing() {
		release, err := cpufreq.LockService(s.Roots.RunDir)
		if errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%w: run it with sudo", err)
		}
		if err != nil {
			return err
		}
		defer release()
	}
	v := &service{serving: with, settings: s, std: std, reloads: make(chan struct{}, 1),
		began: time.Now()}
	v.signals = command.CatchSignals(v.wantReload)
	defer v.signals.Stop()
	set, err := v.first(ctx)
	if err != nil {
		return err
	}
	if v.Open != nil && v.signals.Ending() == 0 && ctx.Err() == nil {
		if err := v.Open(); err != nil {
			return err
		}
	}
	var before *config.Tenants // tenants before the reload; nil: there were none
	for v.signals.Ending() == 0 && ctx.Err() == nil {
		v.signals.Anew()
		if len(set.Tenants) == 0 && !v.wanted() {
			before, set = &config.Tenants{Rest: set.Rest}, v.idle(ctx, set)
			continue
		}
		governed, next, err := v.governSet(ctx, set)
		switch {
		case err == nil:
			before, set = governed, next
		case v.signals.Ending() != 0 && errors.As(err, new(command.StatusError)):
			// The signal came before there was anything to end.
		case governed == nil && before != nil:
			v.refuseAsked(err)
			v.keeps(err)
			before, set = nil, *before
		default:
			return err
		}
	}
	v.Supervisor.Stopping()
	v.says(board.Ending, s)
	v.say("ends after %s", printable.Duration(time.Since(v.began)))
	return nil
}

// read begins to read the tenants, on a goroutine of its own: another machine or process may serve
// the file system that has them, and never answer. Nothing waits for that, not leases and not the
// service's end.
func (s *service) read() {
	c := make(chan loaded, 1)
	s.loading, s.long = c, time.After(longRead)
	go func() {
		set, err := s.Load()
		c <- loaded{set, err}
	}()
}

// longRead is the time after which a reading of the tenants is reported that has not ended. Files
// on a disk are read in milliseconds, and systemd answers in seconds.
const longRead = 10 * time.Second

// readsLong reports that the tenants are still being read.
func (s *service) readsLong() {
	s.complain("warning: the tenants are still being read after %s, as their files or systemd do "+
		"not answer: until then nothing changes", printable.Duration(longRead))
}

// hasRead notes that a reading has ended.
func (s *service) hasRead() { s.loading, s.long = nil, nil }

// first reads the tenants for the first time. There is none where the service ends meanwhile.
func (s *service) first(ctx context.Context) (config.Tenants, error) {
	s.read()
	for {
		select {
		case l := <-s.loading:
			s.hasRead()
			return l.set, l.err
		case <-s.long:
			s.readsLong()
		case <-s.signals.Opening.Done():
			return config.Tenants{}, nil
		case <-ctx.Done():
			return config.Tenants{}, nil
		}
	}
}

// ready reports that the service is ready. It is silent while the tenants are read again: to a
// supervisor that would be the reload's end, and the set is neither swapped nor refused yet.
func (s *service) ready(status string) {
	if s.loading == nil {
		s.Supervisor.Ready(status)
	}
}

// reread has the tenants read again.
func (s *service) reread() {
	s.Supervisor.Reloading()
	s.read()
}

// reloadWanted returns the channel of requests for a reload; nil while the tenants are read. A
// request in that time is for the time after it, since the file may have been read before.
func (s *service) reloadWanted() <-chan struct{} {
	if s.loading != nil {
		return nil
	}
	return s.reloads
}

// wantReload asks for a reload. Several requests before it begins count as one.
func (s *service) wantReload() {
	select {
	case s.reloads <- struct{}{}:
	default:
	}
}

// say writes a line, for a journal.
func (s *service) say(format string, args ...any) {
	if !s.settings.Quiet {
		s.complain(format, args...)
	}
}

// complain writes a line on something that went wrong.
func (s *service) complain(format string, args ...any) {
	printable.Fprintf(s.std.Err, "ebb: "+format+"\n", args...)
}

// idle waits, without tenants, until there are some or the service ends, and returns the set to
// govern. Where a lease is asked for, it returns the present set, which has no tenant.
func (s *service) idle(ctx context.Context, set config.Tenants) config.Tenants {
	const status = "no tenant: nothing is governed, and no clock is set"
	s.say("%s", status)
	s.says(board.Idle, s.settings)
	s.ready(status)
	var wake <-chan time.Time
	if p := s.Supervisor.Patience(); p > 0 {
		ticker := time.NewTicker(p / 2)
		defer ticker.Stop()
		wake = ticker.C
	}
	for {
		select {
		case <-wake:
			s.Supervisor.Alive()
		case <-s.signals.Opening.Done():
			return config.Tenants{}
		case <-ctx.Done():
			return config.Tenants{}
		case a := <-s.asks():
			if a.back {
				s.lease(a, nil, nil)
				continue
			}
			s.leasing.asked = append(s.leasing.asked, a)
			return set
		case <-s.reloadWanted():
			s.reread()
		case <-s.long:
			s.readsLong()
		case l := <-s.loading:
			s.hasRead()
			if l.err == nil && len(l.set.Tenants) > 0 {
				return l.set // a set that cannot be governed leads back here
			}
			if l.err == nil {
				set = l.set
			} else {
				s.keeps(l.err)
			}
			s.ready(status)
		}
	}
}

// keeps prints the reason why a reload changes nothing.
func (s *service) keeps(err error) {
	s.complain("the tenants stay as they were: %v", err)
}

// governSet governs the tenants of a set, and of sets that are loaded later, until the service ends
// or a set needs a new beginning, which is next. It also returns the set that it governed last; nil
// where it could not open what it needs: then no clock was set.
func (s *service) governSet(ctx context.Context, set config.Tenants) (
	governed *config.Tenants, next config.Tenants, err error,
) {
	settings := s.settings
	settings.Tenants.Tenants = set
	k := &seats{service: s.serving, withdrawn: make(chan error, 1)}
	settings.Tenants.Instruments = func(r *run.Several) error {
		return s.instruments(r, k.withdrawn)
	}
	s.Supervisor.Alive() // opening and starting take time, and each has come to its end
	r, err := run.OpenSeveral(s.signals.Opening, settings, s.std.Err)
	if err != nil {
		return nil, next, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	s.Supervisor.Alive()
	if err := r.Start(); err != nil {
		return nil, next, err
	}
	s.Supervisor.Alive()
	for _, note := range r.Notices {
		s.complain("%s", note)
	}
	for _, w := range r.Report.Warnings {
		s.complain("warning: %s", w)
	}
	said := len(r.Report.Warnings)
	r.Obey(s.signals)
	k.begin(r, set)
	status := k.status()
	s.say("%s", status+r.Waiting())
	s.say("%s", r.Doing())
	s.ready(status)
	over, reloaded := make(chan struct{}), make(chan config.Tenants, 1)
	go func() { reloaded <- s.reloading(k, over) }()
	err = r.Govern(ctx)
	close(over)
	next = <-reloaded
	for _, w := range r.Report.Warnings[said:] {
		s.complain("warning: %s", w)
	}
	if err != nil {
		return &k.set, next, fmt.Errorf("govern %s: %w", r, err)
	}
	return &k.set, next, nil
}

// leastGoverned is the least time from one beginning to one that nobody has asked for: to begin is
// work, and a machine that is too busy would have it again and again.
const leastGoverned = 10 * time.Second

// reloading takes over reloads until the governing is over. It returns the set that needs a new
// beginning.
func (s *service) reloading(k *seats, over <-chan struct{}) (next config.Tenants) {
	s.resumeLeases(k, over)
	k.before = func(in []seat) { s.yield(in, k, over) }
	unused, look := s.unused(k), s.looking()
	begun, anew := time.Now(), (<-chan time.Time)(nil)
	for {
		if look == nil {
			look = s.looking()
		}
		select {
		case <-over:
			return next
		case <-look:
			s.look(k, over)
			look = nil
			continue
		case a := <-s.asks():
			if k.anew.IsZero() || a.back {
				s.lease(a, k, over)
			} else { // no lease is given while no clock is set
				s.leasing.asked = append(s.leasing.asked, a)
			}
			unused = s.unused(k)
			continue
		case <-unused:
			k.stop()
			return config.Tenants{Rest: k.set.Rest}
		case err := <-k.withdrawn:
			s.complain("warning: %v: it begins anew", err)
			rest := max(time.Until(begun.Add(leastGoverned)), 0)
			k.anew, anew = time.Now().Add(rest), time.After(rest)
			k.between(s.withdraws)
			s.ready(k.status())
		case <-anew:
			k.stop()
			return k.set
		case <-s.reloadWanted():
			s.reread()
		case <-s.long:
			s.readsLong()
		case l := <-s.loading:
			s.hasRead()
			if s.change(k, l, over) {
				k.stop()
				return l.set
			}
		}
	}
}

// change has what was read governed, or reports that it needs a new beginning.
func (s *service) change(k *seats, l loaded, over <-chan struct{}) (anew bool) {
	k.notes = nil
	err := l.err
	if err == nil {
		anew, err = k.take(l.set, over)
	}
	if anew && err == nil {
		return true
	}
	for _, note := range k.notes {
		s.complain("%s", note)
	}
	if err != nil {
		s.keeps(err)
	} else {
		s.say("reads the tenants again: %s", k.status())
	}
	s.ready(k.status())
	return false
}
