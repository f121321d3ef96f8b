package serve

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/command"
)

// noting is a supervisor that notes what it hears.
type noting struct {
	mu   sync.Mutex
	said []string
}

func (n *noting) note(what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, what)
}

func (n *noting) Ready(status string)     { n.note("ready: " + status) }
func (n *noting) Reloading()              { n.note("reloading") }
func (n *noting) Stopping()               {}
func (n *noting) Alive()                  {}
func (n *noting) Patience() time.Duration { return 0 }

// hears checks what the supervisor heard since the last time, with the beginnings of its words.
func (n *noting) hears(t *testing.T, what string, want ...string) {
	t.Helper()
	synctest.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.EqualFunc(n.said, want, strings.HasPrefix) {
		t.Errorf("%s: it heard %q, want %q", what, n.said, want)
	}
	n.said = nil
}

// complaints keeps what a service complains of.
type complaints struct {
	mu   sync.Mutex
	text strings.Builder
}

func (c *complaints) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(b)
}

func (c *complaints) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// slow is a service whose tenants are read when the test says what they are.
type slow struct {
	*service
	*noting
	give   chan loaded
	giveUp context.CancelCauseFunc
	out    complaints
}

func newSlow(t *testing.T) *slow {
	x := &slow{noting: &noting{}, give: make(chan loaded)}
	load := func() (config.Tenants, error) {
		l := <-x.give
		return l.set, l.err
	}
	x.service = &service{
		serving:  &serving{Supervisor: x.noting, Leases: newLeaseDesk(), Load: load},
		settings: &run.Settings{}, std: command.Stdio{Out: io.Discard, Err: &x.out},
		reloads: make(chan struct{}, 1), signals: &command.Signals{}}
	x.signals.Opening, x.giveUp = context.WithCancelCause(t.Context())
	return x
}

// printed returns all that it printed.
func (x *slow) printed() string {
	synctest.Wait()
	return x.out.String()
}

// complained returns the number of complaints that tenants take long to read.
func (x *slow) complained() int { return strings.Count(x.printed(), "still being read") }

// TestReloadThatHangs: a reload whose files do not answer is said once, after a while, and the
// service is not ready before the set is swapped or refused, whatever it does meanwhile.
func TestReloadThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newSlow(t)
		next := make(chan config.Tenants)
		idle := func() { next <- x.idle(t.Context(), config.Tenants{Rest: config.RestBackground}) }
		go idle()
		x.hears(t, "at first", "ready: no tenant")
		x.wantReload()
		x.hears(t, "at a reload", "reloading")
		x.Leases.asks <- leaseAsk{lease: &tenantLease{}, answer: make(chan error, 1)}
		<-next
		x.refuseAsked(errors.New("the machine has no clock"))
		go idle() // as after a beginning that failed, or one with a lease that has ended
		x.hears(t, "when it is idle again")
		time.Sleep(longRead - time.Nanosecond)
		synctest.Wait()
		if x.complained() != 0 {
			t.Errorf("before the time: %s", x.printed())
		}
		time.Sleep(time.Hour)
		x.hears(t, "after an hour")
		if x.complained() != 1 {
			t.Errorf("after an hour: %s", x.printed())
		}
		x.give <- loaded{err: errors.New("a mistake")}
		x.hears(t, "when it is refused", "ready: no tenant")
		if !strings.Contains(x.printed(), "stay as they were: a mistake") {
			t.Error(x.printed())
		}
		x.wantReload()
		x.give <- loaded{set: setOf(config.RestHighest, 1, 1)}
		if set := <-next; len(set.Tenants) != 1 {
			t.Errorf("%+v", set)
		}
		x.hears(t, "when it is to begin", "reloading")
		time.Sleep(time.Hour)
		if x.complained() != 1 {
			t.Errorf("it complains of a reading that has ended: %s", x.printed())
		}
	})
}

// TestFirstReadThatHangs: the same before there is a set; a service that is to end does not wait.
func TestFirstReadThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newSlow(t)
		set := make(chan config.Tenants)
		go func() {
			got, err := x.first(t.Context())
			if err != nil {
				t.Error(err)
			}
			set <- got
		}()
		time.Sleep(time.Hour)
		if x.complained() != 1 {
			t.Error(x.printed())
		}
		x.giveUp(nil)
		if got := <-set; len(got.Tenants) != 0 {
			t.Errorf("%+v", got)
		}
		x.give <- loaded{} // the file system answers
		x.hears(t, "to its end")
	})
}

// TestReloadThatHangsWhileItGoverns: the governed set stays, and is ready when the new one has been
// refused.
func TestReloadThatHangsWhileItGoverns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newSlow(t)
		k := seatsInTest(func() { t.Error("it begins anew") })
		over, ended := make(chan struct{}), make(chan config.Tenants)
		go func() { ended <- x.reloading(k, over) }()
		x.wantReload()
		time.Sleep(time.Hour)
		x.hears(t, "after an hour", "reloading")
		if x.complained() != 1 {
			t.Error(x.printed())
		}
		x.ready("in another state") // as where it began anew meanwhile
		x.hears(t, "before there is an answer")
		x.give <- loaded{err: errors.New("a mistake")}
		x.hears(t, "when it is refused", "ready: governs 1 tenant")
		close(over)
		<-ended
	})
}

// seatsInTest are the seats of a service that governs a tenant, by nothing.
func seatsInTest(stop func()) *seats {
	set := setOf(config.RestHighest, 1, 1)
	k := &seats{withdrawn: make(chan error, 1), set: set, taken: map[string]seat{},
		stop: stop, between: func(func()) {}, exits: func(arbiter.Tenant) bool { return false }}
	for i, one := range set.Tenants {
		k.taken[one.Name] = seat{tenant: one, number: arbiter.Tenant(i + 1)}
	}
	return k
}

// TestBeginsAnewAtAPace: a service whose clocks were put back begins anew with its set, as soon as
// it has governed for leastGoverned.
func TestBeginsAnewAtAPace(t *testing.T) {
	for _, stall := range []time.Duration{0, time.Second, leastGoverned - 1, leastGoverned,
		leastGoverned + 1, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			x := newSlow(t)
			began, stopped := time.Now(), time.Time{}
			over := make(chan struct{})
			k := seatsInTest(func() {
				stopped = time.Now()
				close(over)
			})
			next := make(chan config.Tenants)
			go func() { next <- x.reloading(k, over) }()
			time.Sleep(stall)
			k.withdrawn <- errors.New("it stood still")
			if set := <-next; len(set.Tenants) != 1 {
				t.Errorf("after %v it goes on with %+v", stall, set)
			}
			if got, want := stopped.Sub(began), max(stall, leastGoverned); got != want {
				t.Errorf("where it stood still after %v it began anew after %v, want %v", stall,
					got, want)
			}
			if !strings.Contains(x.printed(), "it stood still: it begins anew") {
				t.Error(x.printed())
			}
			x.hears(t, "by then", "ready: sets no clock") // until it governs again
		})
	}
}
