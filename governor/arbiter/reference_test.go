package arbiter

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

// reference says by the rule's words at which clock each domain runs: it keeps all that happened in
// maps and looks through it each time.
type reference struct {
	domains int
	ran     map[Domain]map[Tenant]units.Instant
	wish    map[Domain]map[Tenant]units.Frequency
}

func newReference(domains int) *reference {
	r := &reference{domains: domains, ran: map[Domain]map[Tenant]units.Instant{},
		wish: map[Domain]map[Tenant]units.Frequency{}}
	for d := range Domain(domains) {
		r.ran[d], r.wish[d] = map[Tenant]units.Instant{}, map[Tenant]units.Frequency{}
	}
	return r
}

// lately reports whether a tenant ran on a domain within two quanta of the newest that anybody did.
func (r *reference) lately(t Tenant, d Domain) bool {
	ran, here := r.ran[d][t]
	return here && slices.Max(slices.Collect(maps.Values(r.ran[d])))-ran <=
		2*units.Instant(quantum)
}

// highest is the highest wish of those that ran lately; 0 where nobody wishes.
func (r *reference) highest(d Domain) (f units.Frequency) {
	for t, w := range r.wish[d] {
		if r.lately(t, d) {
			f = max(f, w)
		}
	}
	return f
}

// script is a random course of events as bytes, which the fuzzer may change.
func script(r *rand.Rand, n int) []byte {
	b := make([]byte, 4*n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// play plays a course to the arbiter and, in words of the rule, to the reference. After a pass, and
// after a return to a domain, what was requested last is what the reference says.
func play(t *testing.T, course []byte) {
	t.Helper()
	const domains = 3
	a, ref := New(domains, quantum), newReference(domains)
	got := map[Domain]units.Frequency{}
	at := units.Instant(0)
	for ; len(course) >= 4; course = course[4:] {
		who, on := Tenant(course[1]%5), Domain(course[2]%domains)
		at += units.Instant(course[3]) * units.Instant(quantum) / 64
		settled := []Domain{}
		switch course[0] % 8 {
		case 0:
			a.Join(who, at)
			for d := range Domain(domains) {
				ref.ran[d][who] = at
				settled = append(settled, d)
			}
		case 1:
			a.Leave(who)
			for d := range Domain(domains) {
				if _, here := ref.ran[d][who]; here {
					settled = append(settled, d)
				}
				delete(ref.ran[d], who)
				delete(ref.wish[d], who)
			}
		case 2, 3:
			f := units.Frequency(1+course[3]%8) * 500_000_000
			a.Wish(Wish{Tenant: who, Domain: on, Frequency: f})
			if _, here := ref.ran[on][who]; here {
				ref.wish[on][who] = f
				settled = append(settled, on)
			}
		case 4:
			a.Pass()
			for d := range Domain(domains) {
				settled = append(settled, d)
			}
		default:
			before := ref.lately(who, on)
			back := a.Ran(who, on, at)
			if _, here := ref.ran[on][who]; here {
				ref.ran[on][who] = at
			}
			after := ref.lately(who, on)
			if back != (!before && after) {
				t.Fatalf("tenant %d ran on domain %d at %v: back %v", who, on, at, back)
			}
			if back {
				settled = append(settled, on)
			}
		}
		check(t, a, ref, got, settled)
	}
}

func check(
	t *testing.T, a *Arbiter, ref *reference, got map[Domain]units.Frequency, settled []Domain,
) {
	t.Helper()
	for _, r := range a.Step(nil) {
		if r.Frequency == 0 {
			t.Fatalf("a request for nothing: %v", r)
		}
		got[r.Domain] = r.Frequency
		if !ref.lately(r.By, r.Domain) || ref.wish[r.Domain][r.By] != r.Frequency {
			t.Fatalf("%v is by a tenant that does not wish it there", r)
		}
	}
	for _, d := range settled {
		if want := ref.highest(d); want != 0 && got[d] != want {
			t.Fatalf("domain %d runs at %v, want %v", d, got[d], want)
		}
	}
	if again := a.Step(nil); len(again) != 0 {
		t.Fatalf("nothing has happened, and %v is requested", again)
	}
}

// TestReference plays random courses.
func TestReference(t *testing.T) {
	for i := range 2000 {
		t.Run(fmt.Sprint(i), func(t *testing.T) { play(t, script(devtest.Rand(t), 120)) })
	}
}

// FuzzArbiter: no course makes the arbiter request anything else than the reference does.
func FuzzArbiter(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 0, 2, 0, 0, 2, 1, 0, 7, 2, 2, 0, 1, 5, 2, 0, 200, 4, 0, 0, 0})
	f.Fuzz(play)
}
