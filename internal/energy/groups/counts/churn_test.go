package counts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestChurn has a program go through 1,000 cgroups, each of which is removed behind it: every
// CPU's parts still add up, and the table has no entry of one that is gone.
func TestChurn(t *testing.T) {
	c := opened(t, bucketsOfCPU)
	dir, _ := cgroupOf(t, "churn")
	cmd := exec.Command("sh", "-c", "i=0; while [ $i -lt 3000000 ]; do i=$((i+1)); done; sleep 60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	first, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	begin := first.At
	sums := make([]time.Duration, len(first.Idle))
	gone := map[uint64]bool{}
	read := func() time.Duration {
		r, err := c.Read()
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Idle {
			sums[i] += r.Idle[i] + r.Kernel[i] + r.Full[i]
		}
		for _, part := range r.Parts {
			sums[part.CPU] += part.Time
		}
		return r.At.Sub(begin)
	}
	last := ""
	for i := range 1000 {
		at := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		err := os.WriteFile(filepath.Join(at, "cgroup.procs"),
			[]byte(strconv.Itoa(cmd.Process.Pid)), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if last != "" {
			id := inode(t, last)
			if err := os.Remove(last); err != nil {
				t.Fatal(err)
			}
			gone[id] = true
		}
		last = at
		if i%100 == 0 {
			read()
			for id := range gone {
				c.Forget(id)
			}
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := os.Remove(last); err != nil {
		t.Fatal(err)
	}
	for left, tries := len(gone), 0; left > 0 && tries < 100; tries++ {
		left = 0
		for id := range gone {
			if !c.Forget(id) {
				left++
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	// A reading takes time, in which CPUs go on, as in TestEveryNanosecond.
	whole := read()
	for end := time.Now().Add(devtest.Hung); !addUp(sums, whole) && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		whole = read()
	}
	if !addUp(sums, whole) {
		t.Errorf("in %v the CPUs' parts are %v", whole, sums)
	}
	for i := range c.table.entries {
		if e := &c.table.entries[i]; gone[e.id] {
			t.Errorf("cgroup %d is gone, and has an entry", e.id)
		}
	}
}
