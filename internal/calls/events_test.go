package calls

import (
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/instrumented"
)

// TestChoose: counters that are left to ebb are those that complement each other best of what the
// machine has and can count at once; those that a user names stay.
func TestChoose(t *testing.T) {
	for name, tt := range map[string]struct {
		options string
		has     []string
		most    int // counted at once
		want    []string
		ok      bool
	}{
		"all there is": {"counters=auto", complementary, 4, complementary[:2], true},
		"no cache misses": {"counters=auto", []string{"cycles", "instructions"}, 4,
			[]string{"instructions", "cycles"}, true},
		"one at a time": {"counters=auto", complementary, 1, complementary[:1], true},
		"none":          {"counters=auto", nil, 4, nil, false},
		"named":         {"counters=branch-misses", nil, 0, []string{"branch-misses"}, true},
		"not asked for": {"period=1s", complementary, 4, nil, true},
		"named, then left": {"counters=cycles,counters=auto", complementary, 4,
			complementary[:2], true},
		"left, and nothing": {"counters=cycles,counters=auto", nil, 4, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			var o LibraryOptions
			if err := o.Set(tt.options); err != nil {
				t.Fatal(err)
			}
			opened := 0
			first := -1
			ok := o.choose(func(e instrumented.Event, leader int) (int, error) {
				if leader != first {
					t.Errorf("%+v is opened in the group of %d, not %d", e, leader, first)
				}
				if opened == tt.most || !slices.ContainsFunc(tt.has, func(name string) bool {
					x, _ := Event(name)
					return x == e
				}) {
					return -1, unix.ENOENT
				}
				fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
				if opened++; opened == 1 {
					first = fd
				}
				return fd, err
			})
			if ok != tt.ok || !slices.Equal(o.Counters, tt.want) ||
				len(o.Settings.Events) != len(tt.want) {
				t.Errorf("%v (%d events), %t; want %v, %t", o.Counters, len(o.Settings.Events), ok,
					tt.want, tt.ok)
			}
			for i, e := range o.Settings.Events {
				if x, _ := Event(o.Counters[i]); x != e {
					t.Errorf("%s is counted as %+v", o.Counters[i], e)
				}
			}
		})
	}
}
