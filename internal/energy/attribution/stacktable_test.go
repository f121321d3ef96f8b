package attribution

import (
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// TestStackTable: interned stacks come back, equal ones have one id, and those that differ in one
// thing alone another.
func TestStackTable(t *testing.T) {
	st := newStackTable()
	a := st.intern(3, []uint64{9}, []uint64{1, 2}, protocol.Whole)
	if s := st.at(a); s.image != 3 || !slices.Equal(s.kernel(), []uint64{9}) ||
		!slices.Equal(s.user(), []uint64{1, 2}) || s.end != protocol.Whole {
		t.Errorf("%+v", s)
	}
	if b := st.intern(3, []uint64{9}, []uint64{1, 2}, protocol.Whole); b != a {
		t.Errorf("the same stack is %d and %d", a, b)
	}
	ids := []energy.StackID{
		a, st.intern(4, []uint64{9}, []uint64{1, 2}, protocol.Whole), st.intern(3, []uint64{9},
			[]uint64{1, 2}, protocol.Cut),
		st.intern(3, []uint64{9, 1}, []uint64{2}, protocol.Whole), st.intern(3, nil,
			[]uint64{9, 1, 2}, protocol.Whole), st.intern(3, []uint64{9}, []uint64{1},
			protocol.Whole),
		st.intern(3, nil, nil, protocol.Whole), notKept, energy.NoStack,
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 9 {
		t.Errorf("different stacks share an id: %v", ids)
	}
}

// TestTrimmed: the innermost frames stay, the kernel's first, and stacks that become the same are
// one.
func TestTrimmed(t *testing.T) {
	st := newStackTable()
	user := make([]uint64, 40)
	for i := range user {
		user[i] = uint64(i)
	}
	a := st.intern(1, []uint64{100, 101}, user, protocol.Whole)
	user[39] = 1000
	b := st.intern(1, []uint64{100, 101}, user, protocol.Whole)
	if x, y := st.trimmed(a, kept32), st.trimmed(b, kept32); x != y || a == b {
		t.Errorf("two stacks with the same 32 frames are %d and %d", x, y)
	} else if s := st.at(x); len(s.frames) != 32 || len(s.kernel()) != 2 || s.user()[29] != 29 ||
		s.end != protocol.Cut || s.kept != kept32 {
		t.Errorf("%+v", s)
	} else if z := st.trimmed(x, kept8); z != st.trimmed(a, kept8) || st.at(z).kept != kept8 {
		t.Error("in two steps it is another than in one")
	}
	if s := st.at(st.trimmed(a, kept1)); len(s.kernel()) != 1 || len(s.user()) != 0 {
		t.Errorf("%+v", s)
	}
	short := st.intern(1, nil, []uint64{1, 2}, protocol.Whole)
	if st.trimmed(short, kept8) != short || st.trimmed(a, kept0) != notKept ||
		st.trimmed(notKept, kept8) != notKept ||
		st.trimmed(energy.NoStack, kept0) != energy.NoStack {
		t.Error("what is short enough changed")
	}
}

// TestSweep: random stacks come and go, many of them with the same hash; those in use stay, the
// others' memory is given back.
func TestSweep(t *testing.T) {
	const seed = 3
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	st := newStackTable()
	st.hash = func(_ maphash.Seed, b []byte) uint64 { return uint64(len(b)) + uint64(b[len(b)-8]) }
	type one struct {
		image protocol.Image
		user  []uint64
	}
	have := map[energy.StackID]one{}
	empty := st.bytes
	for range 50 {
		for range 200 {
			x := one{protocol.Image(r.IntN(3)), make([]uint64, r.IntN(5))}
			for i := range x.user {
				x.user[i] = uint64(r.IntN(4))
			}
			id := st.intern(x.image, nil, x.user, protocol.Whole)
			if old, ok := have[id]; ok &&
				(old.image != x.image || !slices.Equal(old.user, x.user)) {
				t.Fatalf("%d is %v and %v", id, old, x)
			}
			have[id] = x
		}
		used := make([]bool, len(st.stacks))
		for id := range have {
			if used[id] = r.IntN(2) == 0; !used[id] {
				delete(have, id)
			}
		}
		st.sweep(used)
		bytes := empty
		for id, x := range have {
			if s := st.at(id); s.image != x.image || !slices.Equal(s.user(), x.user) {
				t.Fatalf("%d is %+v, not %v", id, s, x)
			}
			if st.intern(x.image, nil, x.user, protocol.Whole) != id {
				t.Fatalf("%d is not found", id)
			}
			bytes += st.at(id).bytes()
		}
		if st.bytes != bytes || len(st.stacks)-len(st.free) != len(have)+2 ||
			len(st.byHash) > len(have) {
			t.Fatalf("%d bytes, not %d; %d stacks, not %d", st.bytes, bytes,
				len(st.stacks)-len(st.free), len(have)+2)
		}
	}
}

// TestWaterLevel: small wants are met, and large ones get equal parts.
func TestWaterLevel(t *testing.T) {
	for _, tc := range []struct {
		wants  []int
		budget int
		want   int
	}{
		{[]int{10, 1000, 20}, 130, 100}, {[]int{500, 1000}, 200, 100}, {[]int{5, 5}, 5, 2},
		{[]int{1, 2, 3}, 6, 1 << 62}, {nil, 6, 1 << 62},
	} {
		if got := waterLevel(slices.Clone(tc.wants), tc.budget); got != tc.want {
			t.Errorf("%v of %d: %d, want %d", tc.wants, tc.budget, got, tc.want)
		}
	}
}

// TestShare: the stacks of an image that takes more than its share are shortened, those with the
// fewest samples most; the sum is within the budget, and another image keeps all.
func TestShare(t *testing.T) {
	st := newStackTable()
	var uses []use
	frames := make([]uint64, 512)
	for i := range 2000 {
		frames[0] = uint64(i)
		uses = append(uses, use{st.intern(1, nil, frames, protocol.Whole), 1, 1 + i, 5})
	}
	for i := range 20 {
		uses = append(uses, use{st.intern(2, nil, []uint64{uint64(i)}, protocol.Whole), 2, 1, 5})
	}
	const budget = 2 << 20
	got := share(st, slices.Clone(uses), budget)
	spent, last, seen := 0, kept0, map[kept]int{}
	for _, u := range uses {
		k := got[u.id]
		if u.image == 2 && k != keptWhole {
			t.Error("a small image's stack is shortened")
		}
		if u.image == 1 && k > last {
			t.Errorf("a stack with %d samples is at level %d, with one less at %d", u.samples, k,
				last)
		}
		if u.image == 1 {
			last = k
		}
		seen[k]++
		if k < kept0 {
			spent += u.bytes(st.at(u.id), k)
		}
	}
	if spent > budget || spent < budget*9/10 || len(seen) != int(levels) {
		t.Errorf("%d bytes of %d, levels %v", spent, budget, seen)
	}
	if got := share(st, uses, 100<<20); len(got) != 0 {
		t.Errorf("%d stacks are shortened without need", len(got))
	}
}
