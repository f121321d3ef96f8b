package bpf

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

func TestOpenRefusesConfigs(t *testing.T) {
	for name, c := range map[string]Config{
		"no quantum":        {},
		"negative hold-off": {Quantum: time.Millisecond, HoldOff: -1},
		"negative slice":    {Quantum: time.Millisecond, Slice: -1},
		"long slice":        {Quantum: time.Second, Slice: time.Second},
		"odd ring":          {Quantum: time.Millisecond, RingBytes: 12345},
		"small ring":        {Quantum: time.Millisecond, RingBytes: 1024},
		"seven counters":    {Quantum: time.Millisecond, Counters: [][]int{{1, 1, 1, 1, 1, 1, 1}}},
		"uneven counters":   {Quantum: time.Millisecond, Counters: [][]int{{1}, {1, 1}}},
	} {
		if tr, err := Open(c); err == nil {
			t.Errorf("%s: accepted", name)
			_ = tr.Close()
		} else if errors.Is(err, ErrNotSupported) || errors.Is(err, ErrPermission) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// programsOf returns the ids of the BPF programs that a process has descriptors of, from its
// fdinfo.
func programsOf(t *testing.T, pid int) (ids []ebpf.ProgramID) {
	t.Helper()
	infos, err := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		b, err := os.ReadFile(info)
		if errors.Is(err, os.ErrNotExist) {
			continue // the process has closed it meanwhile
		}
		if err != nil {
			t.Fatal(err)
		}
		var id ebpf.ProgramID
		for line := range strings.Lines(string(b)) {
			if _, err := fmt.Sscanf(line, "prog_id:\t%d", &id); err == nil {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// loaded reports whether the kernel has a program.
func loaded(t *testing.T, id ebpf.ProgramID) bool {
	t.Helper()
	p, err := ebpf.NewProgramFromID(id)
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = p.Close()
	return true
}

// TestKillLeavesNothing: a tracer whose process is killed leaves no program in the kernel.
func TestKillLeavesNothing(t *testing.T) {
	if os.Getenv("EBB_HOLD_TRACER") != "" {
		tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
		if err := tr.Attach(os.Getppid()); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("holding\n")
		// Not select {}: Go's runtime ends a process in which nothing can run any more.
		_, _ = io.Copy(io.Discard, os.Stdin) // until the process that asked is gone
		return
	}
	openTracer(t, Config{Quantum: 5 * time.Millisecond}) // skips without the privilege
	cmd := exec.Command(os.Args[0], "-test.run=^TestKillLeavesNothing$")
	cmd.Env = append(os.Environ(), "EBB_HOLD_TRACER=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, len("holding\n"))
	if _, err := io.ReadFull(out, said); err != nil || !strings.HasPrefix(string(said), "holding") {
		t.Fatalf("%q, %v", said, err)
	}
	// That process's programs, one by one: the kernel may still be freeing those of tracers that
	// were closed before.
	held := programsOf(t, cmd.Process.Pid)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Fatalf("the other process was to be killed, and ended with %v", err)
	}
	if len(held) == 0 {
		t.Fatal("the other process held no program")
	}
	// The kernel frees a dead process's programs after a grace period, which is long on a busy
	// machine.
	for _, id := range held {
		for deadline := time.Now().Add(time.Minute); loaded(t,
			id); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf(
					"program %d, of %d that the other process had loaded, outlives it by a minute",
					id, len(held),
				)
			}
		}
	}
}

// TestWakeEndsEveryNext: a Next that waits, and one to come, return after Wake.
func TestWakeEndsEveryNext(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	buf := make([]epochs.Event, 16)
	for i := range 100 {
		if i%2 == 0 {
			tr.Wake()
		} else {
			time.AfterFunc(time.Millisecond, tr.Wake)
		}
		n, err := tr.Next(buf)
		if err != nil {
			t.Fatal(err)
		}
		at := monotonic.Now()
		if n != 1 || buf[0].Kind != epochs.Tick || buf[0].At > at || buf[0].At < at-1e9 {
			t.Fatalf("wake %d: %d events, %+v at %d", i, n, buf[0], at)
		}
	}
	if _, err := tr.Next(buf[:1]); err == nil {
		t.Error("Next takes a buffer of one event")
	}
}

// TestTimersAreTriedAgain: where the kernel had no memory for one timer, those before it are there
// already.
func TestTimersAreTriedAgain(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	for range 2 {
		if err := tr.initTimers(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGoAndCLayoutsAgree: the programs' layout of the records is the decoder's.
func TestGoAndCLayoutsAgree(t *testing.T) {
	spec, err := loadEpochs()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]uint32{
		"record": headSize, "switch_record": switchSize, "slice_record": sliceSize,
		"thread_record": threadSize,
		"totals":        totalsSize, "totals_record": headSize + totalsSize,
	} {
		checkStruct(t, spec.Types, name, want)
	}
	checkEnum(t, spec.Types, "record_kind", map[string]uint64{
		"RECORD_SWITCH": recordSwitch, "RECORD_SLICE": recordSlice, "RECORD_FORK": recordFork,
		"RECORD_EXEC": recordExec, "RECORD_EXIT": recordExit, "RECORD_TOTALS": recordTotals,
		"RECORD_PHASE": recordPhase,
	})
	checkEnum(t, spec.Types, "cause", map[string]uint64{
		"CAUSE_NONE": 0, "CAUSE_WOKEN": uint64(epochs.Woken),
		"CAUSE_STARTED": uint64(epochs.Started),
		"CAUSE_RESUMED": uint64(epochs.Resumed), "CAUSE_SEEN": uint64(epochs.Seen),
		"CAUSE_FUTEX_SLEEP": uint64(epochs.FutexSleep),
		"CAUSE_OTHER_SLEEP": uint64(epochs.OtherSleep),
		"CAUSE_PREEMPTED":   uint64(epochs.Preempted), "CAUSE_EXITED": uint64(epochs.Exited),
		"CAUSE_COLLECTION_BEGINS": uint64(epochs.CollectionBegins),
		"CAUSE_COLLECTION_ENDS":   uint64(epochs.CollectionEnds),
		"CAUSE_THROTTLED":         uint64(epochs.Throttled),
	})
	checkEnum(t, spec.Types, "drop", map[string]uint64{
		"DROP_RING_FULL": dropRingFull, "DROP_NO_STORAGE": dropNoStorage,
		"DROP_COUNTER_READ":    dropCounterRead,
		"DROP_COUNTER_STOPPED": dropCounterStopped, "DROP_TIMER_START": dropTimerStart,
		"DROP_TIMER_MOVED": dropTimerMoved, "DROP_SWITCH_UNTOLD": dropSwitchUntold,
		"DROP_STATE_LATE": dropStateLate, "DROPS": drops,
	})
	if size := spec.Variables["exiting"].Size(); size != 8*(MaxTenants+1) {
		t.Errorf("the programs count threads that are exiting in %d bytes for %d tenants", size,
			MaxTenants)
	}
	checkStruct(t, spec.Types, "foreign", uint32(unsafe.Sizeof(foreign{})))
	checkEnum(t, spec.Types, "init",
		map[string]uint64{"INIT_DONE": initDone, "INIT_REFUSED": initRefused,
			"INIT_FLAGS": initFlags})
}
