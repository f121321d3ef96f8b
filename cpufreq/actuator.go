package cpufreq

import (
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// Names of the actuators.
const (
	SetSpeed = "setspeed"
	Clamp    = "clamp"
	Shadow   = "shadow"
)

// Actuator sets the clock of the domains in use. It belongs to one goroutine.
type Actuator interface {
	// Name is SetSpeed, Clamp or Shadow.
	Name() string
	// Reason says in one sentence why Start chose this actuator.
	Reason() string
	// States are the frequencies to choose from, ascending.
	States() []units.Frequency
	// Set asks every domain in use for its nearest state that is not below f, and returns the
	// results, one Outcome for each domain. The slice is valid until the next call. A failure in
	// one domain stops no other.
	Set(f units.Frequency) []Outcome
	// SetAlone does what Set does, with f for one domain and another frequency for all others.
	SetAlone(d sysfs.Domain, f, others units.Frequency) []Outcome
	// Check verifies that domains still have the states that they were set to, and sets them again
	// where not: an eighth of the domains in each call. It is for times without requests. news says
	// that something differs from the last report; then outcomes are as those of Set.
	Check() (outcomes []Outcome, news bool)
	// Withdraw puts everything back and sets nothing any more, for the reason that the outcomes
	// then have: this process is about to be stopped, and nobody would notice a clock that it
	// leaves. It reports whether all is back.
	Withdraw(because error) bool
	// Withdrawal returns the reason for setting nothing any more: the guard's or Withdraw's. It is
	// nil before the first outcomes that are Withdrawn.
	Withdrawal() error
	// Foreign lists the controls that other programs changed while they were ours.
	Foreign() []Foreign
	// Close puts everything back and gives up the lock. A second call does nothing.
	Close() (Restoration, error)
}

// Outcome is the result of one request in one domain.
type Outcome struct {
	Domain sysfs.Domain // sysfs.Unknown for the shadow actuator
	Kind   Kind
	Asked  units.Frequency // the domain's state for the request
	// Highest: Asked is the domain's highest state, which it has for any higher request too.
	Highest bool
	// Found is the value of the control when it was last read: the kernel's answer, not the
	// delivered clock. See Delivered.
	Found units.Frequency
	Err   error // reason of Refused, HeldBack, Yielded, Away, Withdrawn
}

// Kind is the kind of a request's result.
type Kind uint8

const (
	// Unchanged: the domain has the state already; nothing was written.
	Unchanged Kind = iota
	// Written: it was written and reads back.
	Written
	// Pending: it was written; the kernel, which applies limits in a worker, has not done so yet.
	// The next call decides.
	Pending
	// Capped: it was accepted, but another value reads back: a limit, a cap, or a driver that did
	// nothing. Some drivers' failures show in no other way.
	Capped
	// Refused: the kernel returned an error.
	Refused
	// HeldBack: not tried, because the last tries failed. A raise is tried unless it is the very
	// request that failed, so that holding back keeps no program slow.
	HeldBack
	// Yielded: another program changed the domain's control. It is left to them until the end.
	Yielded
	// Away: the domain has no CPU that is online, for which the kernel answers EBUSY to writes and
	// reads (store and show in drivers/cpufreq/cpufreq.c), or its driver is gone. It is tried again
	// as what was held back.
	Away
	// Withdrawn: the guard, or Withdraw, has put all controls back, and nothing is written any
	// more.
	Withdrawn
)

var kindNames = [...]string{"unchanged", "written", "pending", "capped", "refused", "held back",
	"yielded", "away", "withdrawn"}

func (k Kind) String() string { return kindNames[k] }

// Effective reports whether the domain has the requested state, as far as its control shows.
func (o *Outcome) Effective() bool {
	return o.Kind == Unchanged || o.Kind == Written || o.Kind == Pending
}
