package board

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// State is what a service does.
type State uint16

const (
	Starting State = iota
	Idle           // there is no tenant, and no clock is set
	Governing
	Ending
)

// Result is what became of a quantum.
type Result int

const (
	Decided   Result = iota // there was a decision
	Undecided               // there was none to take
	Hole                    // its data had holes: it was decided for the highest clock
	Late                    // it was decided more than a quantum too late, and so likewise
	results
)

// Service is the record of the service as a whole.
type Service struct {
	Began units.Instant
	At    units.Instant // of the newest writing
	State State
	// Shadow: nothing is written to the machine.
	Shadow bool
	// Pending: clocks are not put back that a dead ebb, or a failed try, has left. It is valid with
	// PendingKnown.
	Pending, PendingKnown bool
	// Group is the group whose members may read; -1: there is none.
	Group int
	// Rest is the clock of programs that are no tenant's.
	Rest            string
	Lowest, Highest units.Frequency // of the machine's states
	Quanta          [results]uint64
	Lost            uint64 // records of the kernel's
	// Tenants, Domains and Zones are the numbers of records there are. Decided is the number of
	// decisions so far.
	Tenants, Domains, Zones int
	Decided                 uint64
}

func (s *Service) fields(c *cursor) {
	number(c, &s.Began)
	number(c, &s.At)
	number(c, &s.State)
	truth(c, &s.Shadow)
	truth(c, &s.Pending)
	truth(c, &s.PendingKnown)
	number(c, &s.Group)
	text(c, &s.Rest, 2)
	number(c, &s.Lowest)
	number(c, &s.Highest)
	for i := range s.Quanta {
		number(c, &s.Quanta[i])
	}
	number(c, &s.Lost)
	number(c, &s.Tenants)
	number(c, &s.Domains)
	number(c, &s.Zones)
	number(c, &s.Decided)
}

// Account is an amount of time, and what it would have been at the highest clock, ns.
type Account struct{ Took, Highest float64 }

func (a *Account) fields(c *cursor) {
	real(c, &a.Took)
	real(c, &a.Highest)
}

// Tenant is the record of one.
type Tenant struct {
	Name      string
	Objective string  // as the governor's
	Budget    float64 // the slowdown that it is allowed; valid with the objective "slowdown"
	// Governed: it is one of the set. Present: it has processes. Failed: its governor has ended,
	// and it runs at the highest clock.
	Governed, Present, Failed bool
	Begins                    uint64 // times that it came
	// Reference is the time that its work would have taken at the highest clock, Excess what it
	// took beyond that, ns. Neither ever falls.
	Reference, Excess float64
	Busy              time.Duration
	Short, Long       Account // the newest 10 s and 5 min, up to At
	At                units.Instant
	Wish, Got         units.Frequency // the newest, and what it ran at before
	Reason            string          // of the wish
	Quanta            [results]uint64
	// Borne is the energy that others' wishes have cost it, Caused what its own have cost others.
	// They are valid with ImposedKnown, and never fall.
	ImposedKnown  bool
	Borne, Caused units.Energy
}

func (t *Tenant) fields(c *cursor) {
	text(c, &t.Name, 8)
	text(c, &t.Objective, 2)
	real(c, &t.Budget)
	truth(c, &t.Governed)
	truth(c, &t.Present)
	truth(c, &t.Failed)
	number(c, &t.Begins)
	real(c, &t.Reference)
	real(c, &t.Excess)
	number(c, &t.Busy)
	t.Short.fields(c)
	t.Long.fields(c)
	number(c, &t.At)
	number(c, &t.Wish)
	number(c, &t.Got)
	text(c, &t.Reason, 2)
	for i := range t.Quanta {
		number(c, &t.Quanta[i])
	}
	truth(c, &t.ImposedKnown)
	number(c, &t.Borne)
	number(c, &t.Caused)
}

// Domain is the record of CPUs that share a clock.
type Domain struct {
	// Asked is the clock that was asked for, in shadow mode would have been, at At for By, a
	// tenant, by its Reason. 0: none was.
	Asked      units.Frequency
	At         units.Instant
	By, Reason string
	// Reported is the clock that the machine said it has; 0: it said none. Refused: it did not take
	// what was asked.
	Reported units.Frequency
	Refused  bool
	// Busy is the time that tenants' threads ran on its CPUs, together, and Cycles what they
	// counted there, valid with Counted.
	Busy    time.Duration
	Cycles  uint64
	Counted bool
}

func (d *Domain) fields(c *cursor) {
	number(c, &d.Asked)
	number(c, &d.At)
	text(c, &d.By, 8)
	text(c, &d.Reason, 2)
	number(c, &d.Reported)
	truth(c, &d.Refused)
	number(c, &d.Busy)
	number(c, &d.Cycles)
	truth(c, &d.Counted)
}

// Zone is the record of a meter.
type Zone struct {
	Name, Kind, Source string
	Energy             units.Energy // while tenants were governed
	At                 units.Instant
	// Power is the mean between the two newest writings; 0 before the second.
	Power units.Power
}

func (z *Zone) fields(c *cursor) {
	text(c, &z.Name, 4)
	text(c, &z.Kind, 2)
	text(c, &z.Source, 3)
	number(c, &z.Energy)
	number(c, &z.At)
	real(c, &z.Power)
}

// Decision is the record of one.
type Decision struct {
	Tenant                       string
	At                           units.Instant // the quantum's end
	Took                         time.Duration // the quantum
	Busy                         time.Duration
	Delivered, Effective, Chosen units.Frequency
	Ran, Highest                 float64 // ns, the work's time, and at the highest clock
	Slack                        time.Duration
	Reason                       string
	Result                       Result
	Lost                         uint64
	// Late is the time from the quantum's end to the reading that it was decided on.
	Late time.Duration
}

func (d *Decision) fields(c *cursor) {
	text(c, &d.Tenant, 8)
	number(c, &d.At)
	number(c, &d.Took)
	number(c, &d.Busy)
	number(c, &d.Delivered)
	number(c, &d.Effective)
	number(c, &d.Chosen)
	real(c, &d.Ran)
	real(c, &d.Highest)
	number(c, &d.Slack)
	text(c, &d.Reason, 2)
	number(c, &d.Result)
	number(c, &d.Lost)
	number(c, &d.Late)
}

// usersOfRecord bounds the users of a record.
const usersOfRecord = allowedWords - 2

// allowed is a record of users who may take leases.
type allowed struct {
	count int
	users [usersOfRecord]uint64
}

func (l *allowed) fields(c *cursor) {
	number(c, &l.count)
	for i := range l.users {
		number(c, &l.users[i])
	}
}
