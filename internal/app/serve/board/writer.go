package board

import (
	"time"

	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/units"
)

// Writer is the service's side of a board. It keeps each record, changes it as often as needed, and
// writes it at a Flush. Sums go on while a service lives: over a change of its tenants, and for a
// tenant that leaves and comes again by its name. It is for one goroutine.
type Writer struct {
	b       *Board
	service Service
	seats   []seat         // seats by record
	records map[string]int // records of seats, by the tenant's name
	numbers []int          // records by the tenant's number, -1 for none
	stale   []int          // numbers of records to write, in their order
	empty   []int          // numbers of records without a tenant
	other   seat
	domains []Domain
	zones   []zone
	left    uint64 // number of times that a tenant left
}

// seat is a tenant's record, with its sums when the tenant came.
type seat struct {
	Tenant
	number               arbiter.Tenant // valid while it is governed
	owed                 float64        // excess that is not in Excess yet, ns; below 0: credit
	borne, caused, saved units.Energy
	savedNow             units.Energy // Saved less what was lost again
	stale                bool
	passes               bool   // its sums go to Other's as soon as it leaves
	left                 uint64 // value of Writer.left when it left
}

type zone struct {
	Zone
	had units.Energy // energy of earlier openings of the meter
}

// credit bounds the time by which a tenant may be ahead, to be counted against later excess, ns. It
// allows for errors of single quanta, and no more.
const credit = float64(time.Second)

// NewWriter returns a writer of a board, and writes the service's record. Group may read; -1: none
// may.
func NewWriter(b *Board, began units.Instant, group int) *Writer {
	w := &Writer{b: b, records: map[string]int{}, other: seat{Tenant: Tenant{Name: "other"}},
		numbers: make([]int, MaxTenants+2)}
	for i := range w.numbers {
		w.numbers[i] = -1
	}
	w.service.Began, w.service.Group = began, group
	w.Say(began)
	return w
}

// Allow writes the users who may take leases, as many as there is room for. It is called once.
func (w *Writer) Allow(users []uint32) {
	for i := range allowedRecords {
		var l allowed
		for l.count < usersOfRecord && len(users) > 0 {
			l.users[l.count], users = uint64(users[0]), users[1:]
			l.count++
		}
		if i == allowedRecords-1 {
			l.count += len(users) // those without room
		}
		w.b.store(allowedAt+i*allowedWords, allowedWords, &l)
	}
}

// Service returns the service's record, to be changed and then written by Say.
func (w *Writer) Service() *Service { return &w.service }

// Say writes the service's record.
func (w *Writer) Say(at units.Instant) {
	w.service.At = at
	w.b.store(0, serviceWords, &w.service)
}

// Sit makes a tenant one of the set, by its number.
func (w *Writer) Sit(n arbiter.Tenant, name, objective string, budget float64) {
	if int(n) >= len(w.numbers) {
		return
	}
	i, known := w.records[name]
	if !known {
		if i = w.free(); i < 0 {
			return
		}
		w.records[name] = i
		w.seats[i] = seat{Tenant: Tenant{Name: name}}
	}
	s := &w.seats[i]
	s.passes = false
	s.Objective, s.Budget = objective, budget
	s.Present, s.Failed, s.Short, s.Long, s.At = false, false, Account{}, Account{}, 0
	s.Wish, s.Got, s.Reason = 0, 0, ""
	s.borne, s.caused, s.saved = s.Borne, s.Caused, s.savedNow
	if s.Governed && s.number != n { // its former number is another's, or nobody's
		w.numbers[s.number] = -1
	}
	s.Governed, s.number = true, n
	w.numbers[n] = i
	w.write(i)
}

// free returns a record for one more tenant: a new one, or that of the tenant that has been away
// longest, whose sums then go to Other's. -1: there is none.
func (w *Writer) free() int {
	if n := len(w.empty); n > 0 {
		i := w.empty[n-1]
		w.empty = w.empty[:n-1]
		return i
	}
	if len(w.seats) < MaxTenants {
		w.seats = append(w.seats, seat{})
		w.service.Tenants = len(w.seats)
		return len(w.seats) - 1
	}
	oldest := -1
	for i := range w.seats {
		if s := &w.seats[i]; !s.Governed && (oldest < 0 || s.left < w.seats[oldest].left) {
			oldest = i
		}
	}
	if oldest < 0 {
		return -1
	}
	w.fold(oldest)
	return oldest
}

// Pass has a tenant's sums go to Other's as soon as it leaves, because it comes again as another
// program.
func (w *Writer) Pass(n arbiter.Tenant) {
	if s := w.seat(n); s != nil {
		s.passes = true
	}
}

// fold adds a tenant's sums to Other's, so that the sum of all does not fall, and forgets the
// tenant, also what it had to make up for.
func (w *Writer) fold(i int) {
	s, o := &w.seats[i], &w.other
	o.Reference, o.Excess = o.Reference+s.Reference, o.Excess+s.Excess
	o.Borne, o.Caused, o.Saved = o.Borne+s.Borne, o.Caused+s.Caused, o.Saved+s.Saved
	o.EnergyKnown = o.EnergyKnown || s.EnergyKnown
	for i := range s.Quanta {
		o.Quanta[i] += s.Quanta[i]
	}
	w.b.store(tenantsAt+Other*tenantWords, tenantWords, &o.Tenant)
	delete(w.records, s.Name)
	*s = seat{stale: s.stale, left: s.left}
}

// Leave takes a tenant out of the set.
func (w *Writer) Leave(n arbiter.Tenant) {
	s := w.seat(n)
	if s == nil {
		return
	}
	w.left++
	s.Governed, s.Present, s.left = false, false, w.left
	i := w.numbers[n]
	w.numbers[n] = -1
	for d := range w.domains {
		if of := &w.domains[d]; of.By == s.Name { // the clock stays until another is asked for
			of.By, of.Reason = "", ""
		}
	}
	if s.passes {
		w.fold(i)
		w.empty = append(w.empty, i)
	}
	w.write(i)
}

// Clear empties the set, and clears the requested clocks.
func (w *Writer) Clear() {
	for n, i := range w.numbers {
		if i >= 0 {
			w.Leave(arbiter.Tenant(n))
		}
	}
	for i := range w.domains {
		d := &w.domains[i]
		d.Asked, d.By, d.Reason, d.Reported, d.Refused = 0, "", "", 0, false
		w.storeDomain(i)
	}
	for i := range w.zones {
		z := &w.zones[i]
		z.had, z.At, z.Power = z.Energy, 0, 0
		w.storeZone(i)
	}
}

// seat returns the record of a tenant's number; nil where it has none.
func (w *Writer) seat(n arbiter.Tenant) *seat {
	if int(n) >= len(w.numbers) || w.numbers[n] < 0 {
		return nil
	}
	return &w.seats[w.numbers[n]]
}

// Tenant returns a tenant's record, to be changed and then written by a Flush; nil for a number
// without a tenant.
func (w *Writer) Tenant(n arbiter.Tenant) *Tenant {
	s := w.seat(n)
	if s == nil {
		return nil
	}
	if !s.stale {
		s.stale = true
		w.stale = append(w.stale, w.numbers[n])
	}
	return &s.Tenant
}

// Ran adds a quantum's time to a tenant's sums. Time that it gained is counted against later lost
// time, up to a bound. So the sum is no larger than the lost time, and never falls.
func (w *Writer) Ran(n arbiter.Tenant, of Account) {
	s := w.seat(n)
	if s == nil {
		return
	}
	s.Reference += of.Highest
	s.owed = max(s.owed+of.Took-of.Highest, -credit)
	if s.owed > 0 {
		s.Excess, s.owed = s.Excess+s.owed, 0
	}
}

// Imposed sets the energies that others have cost a tenant since it came, and that it has cost
// others.
func (w *Writer) Imposed(n arbiter.Tenant, borne, caused units.Energy) {
	if s := w.seat(n); s != nil {
		s.EnergyKnown = true
		s.Borne, s.Caused = max(s.Borne, s.borne+borne), max(s.Caused, s.caused+caused)
	}
}

// Saved sets the energy that a tenant has saved since it came. The record keeps the most so far, so
// that what is lost again is made up for before the sum rises, also after a change of the set.
func (w *Writer) Saved(n arbiter.Tenant, saved units.Energy) {
	if s := w.seat(n); s != nil {
		s.EnergyKnown, s.savedNow = true, s.saved+saved
		s.Saved = max(s.Saved, s.savedNow)
	}
}

// Flush writes at most so many of the records that have changed since they were written. It
// calls complete before each, with the tenant's number.
func (w *Writer) Flush(most int, complete func(n arbiter.Tenant, t *Tenant)) {
	k := min(most, len(w.stale))
	for _, i := range w.stale[:k] {
		s := &w.seats[i]
		if s.Governed {
			complete(s.number, &s.Tenant)
		}
		w.write(i)
	}
	w.stale = append(w.stale[:0], w.stale[k:]...)
}

// write writes a tenant's record.
func (w *Writer) write(i int) {
	w.seats[i].stale = false
	w.b.store(tenantsAt+i*tenantWords, tenantWords, &w.seats[i].Tenant)
}
