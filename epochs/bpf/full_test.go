package bpf

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/tracing"
)

// eventually waits for what must happen, so long that only a hang is longer.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}

// TestFullRingRings: a ring that a program fills between two ends of slices is read all the same,
// with no help of the test's, and no bell stays unheard: an unheard one is a stall.
func TestFullRingRings(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 10 * time.Millisecond, RingBytes: os.Getpagesize()})
	var lost, holes atomic.Uint64
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind == epochs.Lost {
			lost.Add(ev.Count)
			holes.Add(1)
		}
	})
	cmd := exec.Command("taskset", "-c", devtest.CPUList(),
		compile(t, "../../test/workloads/c/pingpong.c"), "200000")
	begin := monotonic.Now()
	launch(t, tr, cmd)
	quanta := monotonic.Now().Sub(begin) / (10 * time.Millisecond)
	if tr.Drops().RingFull == 0 {
		t.Fatal("the ring had room for everything")
	}
	eventually(t, "all losses are reported",
		func() bool { return lost.Load() == tr.Drops().RingFull })
	eventually(t, "all bells are heard", func() bool {
		return atomic.LoadUint64(tr.shared.heard) == tr.shared.bellCount()
	})
	t.Logf("%d records lost in %d holes of %d quanta", lost.Load(), holes.Load(), quanta)
	r.finish(t)
}

// full starts a tracer's target, a shell that runs the lines that it is given, and has it fill the
// ring, which nobody reads.
func full(t *testing.T, tr *Tracer) (say func(line string)) {
	t.Helper()
	cmd := exec.Command("sh", "-c", `while read -r line; do eval "$line"; done`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Launch(func() (int, error) { return 0, cmd.Start() }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // of a test that failed, it may be wrong
	})
	say = func(line string) {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the ring is full", func() bool {
		say("(:)")
		return tr.Drops().RingFull > 0
	})
	return say
}

// TestEveryLossRings: whatever a full ring has no room for, a reader that waits wakes.
func TestEveryLossRings(t *testing.T) {
	dir := devtest.Cgroup(t)
	group, err := cgroup.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer group.Close()
	tr := openTracer(t, Config{Quantum: 10 * time.Millisecond, RingBytes: os.Getpagesize(),
		Cgroup: group.ID})
	say := full(t, tr)
	if err := tr.FollowCgroup(); err != nil { // moves that concern nobody ring nobody
		t.Fatal(err)
	}
	mover, _ := startGrow(t, 3, "")
	for _, c := range []struct {
		what string
		do   func()
	}{
		{"a switch", func() { say(":") }},
		{"a process that begins and ends", func() { say("(:)") }},
		{"a program that is executed", func() { say("(exec true)") }},
		{"a process that is moved", func() {
			procs := filepath.Join(dir, "cgroup.procs")
			if err := os.WriteFile(procs, fmt.Append(nil, mover), 0); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		waits := make(chan error, 1)
		tr.bell.listen()
		go func() { waits <- tr.bell.wait() }()
		c.do()
		select {
		case err := <-waits:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s rings nobody", c.what)
		}
	}
	// The program's last record may have rung meanwhile.
	if moves, rang := tr.shared.moveCount(), atomic.LoadUint32(tr.shared.signalled); moves == 0 ||
		rang == 0 {
		t.Errorf("%d moves are counted, and the first one rang: %d", moves, rang)
	}
}

// memoryRing is a ring of a page without a kernel, and its memory.
func memoryRing(t *testing.T) (*tracing.Ring, []byte) {
	t.Helper()
	fd, memory := devtest.Ring(t, os.Getpagesize())
	ring, err := tracing.MapRing(fd, os.Getpagesize())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ring.Close(); err != nil {
			t.Error(err)
		}
	})
	return ring, memory
}

// TestUnfinishedRecord: a record whose writer does not go on ends the reading after a while, as a
// loss, and holds up nobody; the next reading comes without a bell, and has the record when it is
// there.
func TestUnfinishedRecord(t *testing.T) {
	ring, memory := memoryRing(t)
	door, _ := memoryRing(t)
	var counts [drops]uint64
	s := &shared{bells: new(uint64), heard: new(uint64), drops: &counts}
	tr := &Tracer{ring: ring, shared: s, bell: &bell{door: door, shared: s}}
	tr.pass.again = true
	page := os.Getpagesize()
	fork := record(1000, recordFork, 0, 0, 0, 3, []int32{7, 8})
	header := (*uint32)(unsafe.Pointer(&memory[2*page]))
	atomic.StoreUint32(header, 1<<31|uint32(len(fork)))
	copy(memory[2*page+8:], fork)
	end := (*uint64)(unsafe.Pointer(&memory[page]))
	atomic.StoreUint64(end, uint64(8+len(fork)))
	*s.bells = 5
	buf := make([]epochs.Event, 16)
	for range 2 {
		n, err := tr.Next(buf)
		if err != nil {
			t.Fatal(err)
		}
		if n != 2 || buf[0].Kind != epochs.Lost || buf[0].Count != 1 || buf[1].Kind != epochs.Tick {
			t.Fatalf("%+v", buf[:n])
		}
	}
	if *s.heard != 5 {
		t.Errorf("bell %d is the last that was heard", *s.heard)
	}
	atomic.StoreUint32(header, uint32(len(fork)))
	n, err := tr.Next(buf)
	if err != nil {
		t.Fatal(err)
	}
	if n != 2 || buf[0].Kind != epochs.Fork || buf[1].Kind != epochs.Tick {
		t.Errorf("%+v", buf[:n])
	}
	if got := tr.Drops().Unfinished; got != 2 || tr.pass.again {
		t.Errorf("%d readings ended before the record; again: %v", got, tr.pass.again)
	}
}

// TestDefaultRing: what all CPUs can write between two checks of the ring's fill fits in what is
// left of it when nobody has been rung.
func TestDefaultRing(t *testing.T) {
	for cpus := 1; cpus <= 512; cpus *= 2 {
		for _, c := range []struct {
			counters int
			slice    time.Duration
		}{{0, maxSlice}, {0, time.Millisecond}, {epochs.MaxCounters, defaultSlice}} {
			size := defaultRing(cpus, c.counters, c.slice)
			records := float64(cpus) * switchesPerSecond * c.slice.Seconds()
			room := float64(size-size/ringHigh) / float64(8+switchSize+8*c.counters)
			if records > room || size&(size-1) != 0 {
				t.Errorf("%d CPUs, %d counters, slices of %v: %d bytes have room for %.0f records "+
					"of %.0f", cpus, c.counters, c.slice, size, room, records)
			}
		}
	}
	for cpus, want := range map[int]int{1: 1 << 20, 2: 2 << 20, 8: 8 << 20, 128: 32 << 20} {
		if got := defaultRing(cpus, 0, maxSlice); got != want {
			t.Errorf("%d CPUs: %d bytes, want %d", cpus, got, want)
		}
	}
}
