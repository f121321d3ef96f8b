package board

import (
	"slices"
	"sync/atomic"
)

// Board is the memory of the records.
type Board struct {
	words []uint64
	buf   [tenantWords]uint64 // scratch of store
	c     cursor
}

// record is implemented by each type of record.
type record interface{ fields(c *cursor) }

// store writes a record. Each word is stored in an order that all processors see alike.
func (b *Board) store(at, size int, r record) {
	b.c = cursor{words: b.buf[:size-1], write: true}
	r.fields(&b.c)
	to := b.words[at : at+size]
	n := to[0] // only this process writes it
	atomic.StoreUint64(&to[0], n+1)
	for i, w := range b.buf[:b.c.at] {
		atomic.StoreUint64(&to[1+i], w)
	}
	atomic.StoreUint64(&to[0], n+2)
}

// mostTries bounds the readings of a record that is written again and again, or was left half
// written.
const mostTries = 1000

// load reads a record; false where it was never written, or does not stand still.
func (b *Board) load(at, size int, r record) bool {
	var buf [tenantWords]uint64
	from := b.words[at : at+size]
	for range mostTries {
		n := atomic.LoadUint64(&from[0])
		if n == 0 {
			return false
		}
		if n%2 != 0 {
			continue
		}
		for i := range from[1:] {
			buf[i] = atomic.LoadUint64(&from[1+i])
		}
		if atomic.LoadUint64(&from[0]) == n {
			r.fields(&cursor{words: buf[:size-1]})
			return true
		}
	}
	return false
}

// Service reads the service's record.
func (b *Board) Service() (s Service, ok bool) {
	ok = b.load(0, serviceWords, &s)
	s.Tenants = min(max(s.Tenants, 0), MaxTenants)
	s.Domains = min(max(s.Domains, 0), maxDomains)
	s.Zones = min(max(s.Zones, 0), maxZones)
	return s, ok
}

// MayLease reports whether a user may take leases, and whether that is sure: there may be more such
// users than there is room for.
func (b *Board) MayLease(user uint32) (may, sure bool) {
	for i := range allowedRecords {
		var l allowed
		if !b.load(allowedAt+i*allowedWords, allowedWords, &l) {
			return false, false
		}
		n := min(max(l.count, 0), usersOfRecord)
		if slices.Contains(l.users[:n], uint64(user)) {
			return true, true
		}
		sure = l.count == n
	}
	return false, sure
}

// Tenant reads a tenant's record, or that of Other.
func (b *Board) Tenant(i int) (t Tenant, ok bool) {
	ok = b.load(tenantsAt+i*tenantWords, tenantWords, &t)
	return t, ok
}

// Domain reads a domain's record.
func (b *Board) Domain(i int) (d Domain, ok bool) {
	ok = b.load(domainsAt+i*domainWords, domainWords, &d)
	return d, ok
}

// Zone reads a meter's record.
func (b *Board) Zone(i int) (z Zone, ok bool) {
	ok = b.load(zonesAt+i*zoneWords, zoneWords, &z)
	return z, ok
}

// Decision reads a decision by its place. The nth decision has place n modulo Decisions.
func (b *Board) Decision(i int) (d Decision, ok bool) {
	ok = b.load(decisionsAt+i*decisionWords, decisionWords, &d)
	return d, ok
}
