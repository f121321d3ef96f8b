package counts

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// addTo adds all time of each CPU.
func (r *Reading) addTo(sums []time.Duration) {
	for i := range r.Idle {
		sums[i] += r.Idle[i] + r.Kernel[i] + r.Full[i]
	}
	for _, part := range r.Parts {
		sums[part.CPU] += part.Time
	}
}

// TestShortLives: cgroups that are made and removed as fast as two programs can, 1,000 a second on
// an idle machine, each with a child that computes for a moment. Every CPU's parts add up, the
// cgroups have the time that the kernel gives them, and no entry of theirs stays.
func TestShortLives(t *testing.T) {
	const workers, cgroups, second = 2, 3000, 1000
	program := filepath.Join(t.TempDir(), "churn")
	out, err := exec.Command("gcc", "-O2", "-static", "-o", program, "testdata/churn.c").
		CombinedOutput()
	if err != nil {
		t.Skipf("%v: %s", err, out)
	}
	c := opened(t, bucketsOfCPU)
	dir, _ := cgroupOf(t, "short")
	within, err := cgroup.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer within.Close()
	first, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	begin, sums := first.At, make([]time.Duration, len(first.Idle))
	var mu sync.Mutex
	var removed []uint64
	var churns sync.WaitGroup
	for worker := range workers {
		cmd := exec.Command(program, dir, fmt.Sprint(worker), "200", fmt.Sprint(cgroups/workers))
		cmd.Stderr = os.Stderr
		numbers, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		churns.Go(func() {
			for lines := bufio.NewScanner(numbers); lines.Scan(); {
				id, err := strconv.ParseUint(lines.Text(), 10, 64)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				removed = append(removed, id)
				mu.Unlock()
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	ended, started := make(chan struct{}), time.Now()
	go func() { churns.Wait(); close(ended) }()
	parts := map[uint64]time.Duration{}
	var full time.Duration
	var refused uint64
	read := func() time.Duration {
		r, err := c.Read()
		if err != nil {
			t.Fatal(err)
		}
		r.addTo(sums)
		for _, part := range r.Parts {
			parts[part.ID] += part.Time
		}
		full, refused = full+summed(r.Full), refused+r.Refused
		return r.At.Sub(begin)
	}
	forgotten := 0
	forget := func() { // those that could not be forgotten are tried again at the end
		mu.Lock()
		defer mu.Unlock()
		for ; forgotten < len(removed); forgotten++ {
			c.Forget(removed[forgotten])
		}
	}
	took := time.Duration(0)
	for over := false; !over; {
		select {
		case <-ended:
			over, took = true, time.Since(started)
		case <-time.After(100 * time.Millisecond):
		}
		read()
		forget()
	}
	used, known := within.CPUTime()
	if !known {
		t.Fatal("the kernel says nothing of the cgroups' time")
	}
	forgotten = 0
	for end := time.Now().Add(devtest.Hung); len(left(c, removed)) > 0 && time.Now().Before(end); {
		forget()
		forgotten = 0
		time.Sleep(10 * time.Millisecond)
	}
	whole := read()
	for end := time.Now().Add(devtest.Hung); !addUp(sums, whole) && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		whole = read()
	}
	if !addUp(sums, whole) {
		t.Errorf("in %v the CPUs' parts are %v", whole, sums)
	}
	if n := left(c, removed); len(n) > 0 {
		t.Errorf("%d cgroups of %d are gone, and have entries", len(n), len(removed))
	}
	var theirs time.Duration
	for _, id := range removed {
		theirs += parts[id]
	}
	// Full also has what ran between a reading and the freeing of an entry.
	if theirs > used+used/20 || theirs+full < used-used/20 {
		t.Errorf("%v in %d cgroups, %v by the kernel; %v without an entry, %d refused", theirs,
			len(removed), used, full, refused)
	}
	t.Logf("%.0f cgroups a second: %v, and %v by the kernel; %v without an entry, %d refused",
		float64(len(removed))/took.Seconds(), theirs, used, full, refused)
	if most := devtest.Bound(cgroups * time.Second / second); took > most {
		t.Errorf("%d cgroups took %v, more than %v", len(removed), took, most)
	}
}

// left are those of some cgroups that have entries.
func left(c *Counter, ids []uint64) (with []uint64) {
	for _, id := range ids {
		if len(c.table.of(id, nil)) > 0 {
			with = append(with, id)
		}
	}
	return with
}

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
		r.addTo(sums)
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
