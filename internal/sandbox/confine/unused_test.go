package confine

import "testing"

func TestFree(t *testing.T) {
	if n := free(0, map[uint32]bool{firstUnused: true}); n != firstUnused+1 {
		t.Errorf("user %d", n)
	}
	if n := free(lastUnused-firstUnused, map[uint32]bool{lastUnused: true}); n != firstUnused {
		t.Errorf("behind the last is user %d", n)
	}
	all := map[uint32]bool{}
	for n := uint32(firstUnused); n <= lastUnused; n++ {
		all[n] = true
	}
	if n := free(7, all); n != nobody {
		t.Errorf("where all are used: %d", n)
	}
	for text, want := range map[string]bool{"         0          0 4294967295\n": true,
		"0 100000 65536\n": false, "": false, "0 0 1\n": false} {
		if mapsAll(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
