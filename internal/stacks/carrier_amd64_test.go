package stacks

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMounted: a sample has the number that the sampled thread's own memory holds where Carry said;
// nothing where that is no memory of it, or is said of another thread.
func TestMounted(t *testing.T) {
	s, pid, put := spinning(t, 997, spin...)
	put(left, 0)
	use(t, pid, 50*time.Millisecond) // the program has begun
	block := blockOf(t, pid)         // its words 0 and 2 are its own address, by glibc
	for _, c := range []struct {
		what    string
		carrier Carrier
		want    uint64
	}{
		{"a number", Carrier{Block: block, At: block, Own: 1}, block},
		{"by a reference", Carrier{Block: block, At: block, Field: 16, Own: 1}, block},
		{"its own", Carrier{Block: block, At: block, Own: block}, Itself},
		{"its own by a reference", Carrier{Block: block, At: block, Field: 16, Own: block}, Itself},
		{"another thread", Carrier{Block: block + 64, At: block, Own: 1}, 0},
		{"no memory", Carrier{Block: block, At: 8, Own: 1}, 0},
		{"the end of memory", Carrier{Block: block, At: userEnd - 1, Own: 1}, 0},
		{"the kernel's memory", Carrier{Block: block, At: 0xffff888000000000, Own: 1}, 0},
		{"a far field", Carrier{Block: block, At: block, Field: 1 << 40, Own: 1}, 0},
	} {
		s.Carry(pid, []Carrier{c.carrier})
		use(t, pid, 20*time.Millisecond) // a sample that had begun is complete
		var seen map[uint64]int
		for range 2 { // the first are of before
			seen = map[uint64]int{}
			if err := s.Drain(func(x *Sample) bool {
				seen[x.Mounted]++
				return true
			}); err != nil {
				t.Fatal(err)
			}
			use(t, pid, 100*time.Millisecond)
		}
		if len(seen) != 1 || seen[c.want] == 0 {
			t.Errorf("%s: %#x, want %#x alone", c.what, seen, c.want)
		}
	}
}

// blockOf returns a program's fsbase.
func blockOf(t testing.TB, pid int) uint64 {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.PtraceAttach(pid); err != nil {
		t.Skip("it cannot be traced: ", err)
	}
	defer unix.PtraceDetach(pid)
	var status unix.WaitStatus
	var regs unix.PtraceRegs
	if _, err := unix.Wait4(pid, &status, 0, nil); err != nil {
		t.Fatal(err)
	}
	if err := unix.PtraceGetRegs(pid, &regs); err != nil {
		t.Fatal(err)
	}
	if regs.Fs_base == 0 {
		t.Fatal("the program has not begun")
	}
	return regs.Fs_base
}

// TestCarry: the carriers of all processes together have a bound, and make room when they go; what
// no machine has is left out.
func TestCarry(t *testing.T) {
	s, pid, _ := spinning(t, 997, spin...)
	list := make([]Carrier, maxCarriers+10)
	for i := range list {
		list[i] = Carrier{Block: uint64(i) + 1, At: 1}
	}
	in := func() (n int) {
		var key carrierKey
		var value carrierValue
		for all := s.objects.Carriers.Iterate(); all.Next(&key, &value); n++ {
		}
		var carrying uint64
		if err := s.objects.Carrying.Get(&carrying); err != nil || carrying != uint64(s.carrying) {
			t.Errorf("the sampler knows of %d carriers, not %d: %v", carrying, s.carrying, err)
		}
		return n
	}
	for _, c := range []struct {
		pid  int
		list []Carrier
		want int
	}{
		{pid, list[:100], 100}, {pid + 1, list, maxCarriers}, {pid + 2, list[:1], maxCarriers},
		{pid + 1, nil, 100}, {pid, list[50:150], 100}, {pid + 1, list[:30], 130},
		{pid, []Carrier{{}, {Block: 1}, {At: 1}, {Block: 1 << 50, At: 1}, {Block: 1, At: 1 << 47},
			{Block: 1, At: 1, Field: 1 << 16}}, 30}, {pid + 1, append(list[:2:2], list[:2]...), 2},
		{pid + 1, nil, 0},
	} {
		s.Carry(c.pid, c.list)
		if n := in(); n != c.want {
			t.Errorf("%d carriers of process %d: %d in all, want %d", len(c.list), c.pid-pid, n,
				c.want)
		}
	}
}
