// Package arbiter says at which clock each frequency domain runs, where several tenants wish for
// different ones.
//
// A domain runs at the highest wish of the tenants that ran there lately: within two quanta of the
// newest time at which any tenant ran there. So nobody is slowed by another's wish, a tenant that
// sleeps holds no clock up, and a domain on which nobody runs keeps its clock. A tenant that has
// just come counts everywhere, because it may run anywhere. A tenant that comes back counts from
// its first record on.
//
// The package is pure: it reads no clock, and the same calls give the same requests.
package arbiter

import (
	"cmp"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Tenant is the number of a program, or group of programs, with a budget of its own. 0 is the only
// one where there is no other.
type Tenant uint16

// Domain is the number of a frequency domain: the CPUs that share one clock.
type Domain uint16

// lately is the time for which a tenant counts after it ran, in quanta. A thread that runs on has a
// record each millisecond, and a tick confirms it within a quantum.
const lately = 2

// Wish is the clock that a tenant would choose on a domain if it had it for itself.
type Wish struct {
	Tenant    Tenant
	Domain    Domain
	Frequency units.Frequency
}

// Request asks for the clock of a domain. By is the tenant whose wish it is: of equal wishes the
// lowest number.
type Request struct {
	Domain    Domain
	Frequency units.Frequency
	By        Tenant
}

// Arbiter weighs wishes. New makes one. It is for one goroutine.
type Arbiter struct {
	lately  units.Instant
	domains []domain
	newest  map[Tenant]units.Instant // time when each member ran last, on any domain
}

// domain is a frequency domain's state. Its members ascend by tenant.
type domain struct {
	members []member
	newest  units.Instant // time when any member ran last
	request Request       // last request; its Frequency is 0 before the first
	stale   bool          // the members that count, or their wishes, may have changed since
	again   bool          // the request is to be repeated
}

type member struct {
	tenant Tenant
	wish   units.Frequency // 0 before the first
	ran    units.Instant
}

// New makes an arbiter for a machine with that many domains.
func New(domains int, quantum time.Duration) *Arbiter {
	return &Arbiter{lately: lately * units.Instant(quantum), domains: make([]domain, domains),
		newest: map[Tenant]units.Instant{}}
}

// Join takes a tenant in at a time; it may run on any domain.
func (a *Arbiter) Join(t Tenant, at units.Instant) {
	a.newest[t] = max(a.newest[t], at)
	for i := range a.domains {
		d := &a.domains[i]
		k, found := d.find(t)
		if !found {
			d.members = slices.Insert(d.members, k, member{tenant: t})
		}
		d.run(k, at)
		d.stale = true
	}
}

// Leave takes a tenant out. A domain without any keeps its clock.
func (a *Arbiter) Leave(t Tenant) {
	delete(a.newest, t)
	for i := range a.domains {
		d := &a.domains[i]
		if k, found := d.find(t); found {
			d.members = slices.Delete(d.members, k, k+1)
			d.newest = 0
			for _, m := range d.members {
				d.newest = max(d.newest, m.ran)
			}
			d.stale = true
		}
	}
}

// Ran takes that a tenant ran on a domain at a time. It reports whether the tenant has come back:
// it counts there, and did not before.
func (a *Arbiter) Ran(t Tenant, on Domain, at units.Instant) (back bool) {
	if int(on) >= len(a.domains) {
		return false
	}
	d := &a.domains[on]
	k, found := d.find(t)
	if !found {
		return false
	}
	counted := d.counts(&d.members[k], a.lately)
	d.run(k, at)
	a.newest[t] = max(a.newest[t], at)
	back = !counted && d.counts(&d.members[k], a.lately)
	d.stale = d.stale || back
	return back
}

// Pass takes that a quantum has passed: those that have not run lately cease to count.
func (a *Arbiter) Pass() {
	for i := range a.domains {
		a.domains[i].stale = true
	}
}

// Wish takes a tenant's new wish. One that is the tenant's old wish says that it is not met: the
// domain's request, which is no lower, is made again.
func (a *Arbiter) Wish(w Wish) {
	if int(w.Domain) >= len(a.domains) {
		return
	}
	d := &a.domains[w.Domain]
	k, found := d.find(w.Tenant)
	if !found {
		return
	}
	m := &d.members[k]
	d.again = d.again || m.wish == w.Frequency && d.counts(m, a.lately)
	m.wish, d.stale = w.Frequency, true
}

// Again has a domain's request made once more: the machine did not do it.
func (a *Arbiter) Again(on Domain) {
	d := &a.domains[on]
	d.again, d.stale = true, true
}

// Step appends the requests that follow from all that was taken since the last Step, ascending by
// domain.
func (a *Arbiter) Step(out []Request) []Request {
	for i := range a.domains {
		d := &a.domains[i]
		if !d.stale {
			continue
		}
		r := d.highest(a.lately)
		r.Domain = Domain(i)
		if r.Frequency != 0 && (r.Frequency != d.request.Frequency || d.again) {
			out = append(out, r)
		}
		if r.Frequency != 0 {
			d.request = r
		}
		d.stale, d.again = false, false
	}
	return out
}

// At returns the last request for a domain; its Frequency is 0 before the first.
func (a *Arbiter) At(on Domain) Request { return a.domains[on].request }

// Counts reports whether a tenant's wish counts on a domain.
func (a *Arbiter) Counts(t Tenant, on Domain) bool {
	d := &a.domains[on]
	k, found := d.find(t)
	return found && d.counts(&d.members[k], a.lately)
}

// Runs reports whether a tenant runs on a domain: lately, by the times at which it ran anywhere.
func (a *Arbiter) Runs(t Tenant, on Domain) bool {
	d := &a.domains[on]
	k, found := d.find(t)
	return found && a.newest[t]-d.members[k].ran <= a.lately
}

func (d *domain) find(t Tenant) (k int, found bool) {
	return slices.BinarySearchFunc(d.members, t,
		func(m member, t Tenant) int { return cmp.Compare(m.tenant, t) })
}

// run enters that a member ran. Records of several CPUs may come a little out of order.
func (d *domain) run(k int, at units.Instant) {
	m := &d.members[k]
	if at > m.ran {
		m.ran = at
	}
	d.newest = max(d.newest, at)
}

func (d *domain) counts(m *member, lately units.Instant) bool { return d.newest-m.ran <= lately }

// highest returns the highest wish of the members that count.
func (d *domain) highest(lately units.Instant) (r Request) {
	for i := range d.members {
		if m := &d.members[i]; d.counts(m, lately) && m.wish > r.Frequency {
			r.Frequency, r.By = m.wish, m.tenant
		}
	}
	return r
}
