package counts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// user is no other test's: cgroups of one user anywhere on the machine share a bound.
const user = 54317

// byUser is the number by which the program knows an entry's owner as the user.
func byUser() int {
	u := uint64(user)
	return 1 + int(u*golden>>32%(owners-1))
}

// TestBoundOfAnOwner: a user with more busy cgroups than the table has room for leaves room for
// others. Further cgroups count for the user's uppermost one.
func TestBoundOfAnOwner(t *testing.T) {
	const buckets = 64 // 256 entries on a CPU, of which an owner gets 8
	c := opened(t, buckets)
	dir, id := cgroupOf(t, "owner")
	for i := range 2 * buckets * places {
		below := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(below, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(below) })
		if err := os.Chown(below, user, user); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(dir, user, user); err != nil {
		t.Fatal(err)
	}
	other, others := cgroupOf(t, "beside")
	// On one CPU the program visits all its cgroups, and uses some time in each.
	cmd := exec.Command("taskset", "-c", devtest.CPUList(), "sh", "-c", fmt.Sprintf(
		"for g in %s/*/; do echo $$ > $g/cgroup.procs && sleep 0; "+
			"i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done; done", dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	spin(t, other, 100_000)
	r, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	if r.Refused > 0 {
		t.Errorf("%d stretches found no entry, %v", r.Refused, summed(r.Full))
	}
	theirs, _ := r.of(others)
	folded, _ := r.of(id)
	if theirs < 10*time.Millisecond || folded < 10*time.Millisecond {
		t.Errorf("another's cgroup has %v, and the user's uppermost %v", theirs, folded)
	}
	mine := make([]int, c.cpus)
	for i := range c.table.entries {
		if c.table.entries[i].id != 0 && int(c.table.owners[i/places].of[i%places]) == byUser() {
			mine[i/(buckets*places)]++
		}
	}
	// One more is the user's uppermost.
	if n, most := slices.Max(mine), buckets*places/ownersPart+1; n == 0 || n > most {
		t.Errorf("the user has %d entries on a CPU, of at most %d", n, most)
	}
	freed := map[uint64]bool{}
	for _, part := range r.Parts {
		if part.ID != others {
			freed[part.ID] = true
		}
	}
	for id := range freed {
		c.Forget(id)
	}
	for cpu := range c.cpus {
		if o := &c.table.owned[cpu*owners+byUser()]; o.taken != o.freed {
			t.Errorf("of an owner's %d entries %d are free again", o.taken, o.freed)
		}
	}
}

// TestBoundInASharedDirectory: where users make cgroups in a directory of root's, each of which is
// an uppermost one, a user has a bound too, and what is beyond it is counted as without an entry.
func TestBoundInASharedDirectory(t *testing.T) {
	const buckets = 64
	c := opened(t, buckets)
	dir, _ := cgroupOf(t, "shared")
	theirs := map[uint64]bool{}
	for i := range buckets * places {
		below := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(below, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(below) })
		if err := os.Chown(below, user, user); err != nil {
			t.Fatal(err)
		}
		theirs[inode(t, below)] = true
	}
	cmd := exec.Command("taskset", "-c", devtest.CPUList(), "sh", "-c", fmt.Sprintf(
		"for g in %s/*/; do echo $$ > $g/cgroup.procs && sleep 0; "+
			"i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done; done", dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	mine := make([]int, c.cpus)
	for i := range c.table.entries {
		if theirs[c.table.entries[i].id] {
			mine[i/(buckets*places)]++
		}
	}
	if n, most := slices.Max(mine), 2*buckets*places/ownersPart; n == 0 || n > most {
		t.Errorf("the user has %d entries on a CPU, of at most %d", n, most)
	}
	if r.Refused == 0 || summed(r.Full) < time.Millisecond {
		t.Errorf("%d stretches refused, %v", r.Refused, summed(r.Full))
	}
}

// TestNobodyAims: cgroups that were chosen, by their numbers, for one place in the table are at one
// by chance.
func TestNobodyAims(t *testing.T) {
	a, b := opened(t, bucketsOfCPU), opened(t, bucketsOfCPU)
	bucket := func(c *Counter, id uint64) uint64 {
		return uint64(c.table.first(id)) % bucketsOfCPU
	}
	at, there := bucket(a, 1<<32+7), map[uint64]int{}
	for id, found := uint64(1<<32+7), 0; found < 10*places*tries; id++ {
		if bucket(a, id) == at {
			there[bucket(b, id)]++
			found++
		}
	}
	for _, n := range there {
		if n > places*tries {
			t.Errorf("%d of them crowd a bucket", n)
		}
	}
}
