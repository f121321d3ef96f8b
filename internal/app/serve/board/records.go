package board

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// State is the activity of a service.
type State uint16

const (
	Starting State = iota
	Idle           // there is no tenant, and no clock is set
	Governing
	Ending
)

// Result is the outcome of a quantum.
type Result int

const (
	Decided   Result = iota // there was a decision
	Undecided               // there was no decision to take
	Hole                    // data with holes, decided for the highest clock
	Late                    // decided more than a quantum too late, for the highest clock
	results
)

// Service is the record of the service as a whole.
type Service struct {
	Began units.Instant
	At    units.Instant // time of the newest writing
	State State
	// Shadow says that nothing is written to the machine.
	Shadow bool
	// Pending says that clocks are not put back that a dead ebb, or a failed try, has left. It is
	// valid with PendingKnown.
	Pending, PendingKnown bool
	// Group is the group whose members may read; -1: there is none.
	Group int
	// Rest is the clock of programs that are no tenant's.
	Rest            string
	Lowest, Highest units.Frequency // lowest and highest state of the machine
	Quanta          [results]uint64
	Lost            uint64 // number of the kernel's records that were lost
	// Tenants, Domains and Zones are the numbers of existing records. Decided is the number of
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

// Account is an amount of time, beside the time of the same work at the highest clock, ns.
type Account struct{ Took, Highest float64 }

func (a *Account) fields(c *cursor) {
	real(c, &a.Took)
	real(c, &a.Highest)
}

// Tenant is the record of one tenant.
type Tenant struct {
	Name      string
	Objective string  // objective of its governor
	Budget    float64 // slowdown that it is allowed; valid with the objective "slowdown"
	// Governed says that it is one of the set, and Present that it has processes. Failed says that
	// its governor has ended, and it runs at the highest clock.
	Governed, Present, Failed bool
	Begins                    uint64 // number of times that it came
	// Reference is the time that its work would have taken at the highest clock. Excess is the time
	// beyond that, ns. Neither ever falls.
	Reference, Excess float64
	Busy              time.Duration
	Short, Long       Account // accounts of the newest 10 s and 5 min, up to At
	At                units.Instant
	Wish, Got         units.Frequency // newest wish, and the clock it ran at before
	Reason            string          // reason of the wish
	Quanta            [results]uint64
	// Borne is the energy that others' wishes have cost it, and Caused the energy that its own have
	// cost others. Saved is what its work drew less than at the highest clock. They are valid with
	// EnergyKnown, and never fall.
	EnergyKnown          bool
	Borne, Caused, Saved units.Energy
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
	truth(c, &t.EnergyKnown)
	number(c, &t.Borne)
	number(c, &t.Caused)
	number(c, &t.Saved)
}

// Domain is the record of CPUs that share a clock.
type Domain struct {
	// Asked is the clock that was asked for at At, in shadow mode would have been, for the tenant
	// By, by its Reason. 0: none was.
	Asked      units.Frequency
	At         units.Instant
	By, Reason string
	// Reported is the clock that the machine reported; 0: it reported none. Refused says that the
	// machine did not take the requested clock.
	Reported units.Frequency
	Refused  bool
	// Busy is the sum of the times that tenants' threads ran on its CPUs. Cycles are the cycles
	// counted in it, valid with Counted.
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
	Energy             units.Energy // energy while tenants were governed
	At                 units.Instant
	// Power is the mean power between the two newest writings; 0 before the second.
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

// Decision is the record of one decision.
type Decision struct {
	Tenant                       string
	At                           units.Instant // end of the quantum
	Took                         time.Duration // length of the quantum
	Busy                         time.Duration
	Delivered, Effective, Chosen units.Frequency
	Ran, Highest                 float64 // time of the work, and its time at the highest clock, ns
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

// usersOfRecord is the most users in a record.
const usersOfRecord = allowedWords - 2

// allowed is a record of users who may take leases.
type allowed struct {
	count int // in the last record with those for whom there is no room
	users [usersOfRecord]uint64
}

func (l *allowed) fields(c *cursor) {
	number(c, &l.count)
	for i := range l.users {
		number(c, &l.users[i])
	}
}
