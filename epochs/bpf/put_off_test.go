package bpf

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
)

// TestSleepingCPUsTimer: a CPU that becomes idle, and was so for long before, has no timer that
// fires soon. A quantum is so long here that hardly any timer fires in the test.
func TestSleepingCPUsTimer(t *testing.T) {
	tr := openTracer(t, Config{Quantum: time.Minute})
	if tr.timers&timerCPUPin == 0 {
		t.Skip("the kernel pins no timer to its CPU, so none is put off")
	}
	spec, err := loadEpochs()
	if err != nil {
		t.Fatal(err)
	}
	var layout *btf.Struct
	if err := spec.Types.TypeByName("cpu", &layout); err != nil {
		t.Fatal(err)
	}
	offsets := map[string]uint32{}
	for _, m := range layout.Members {
		offsets[m.Name] = m.Offset.Bytes()
	}
	r := drain(tr, func(*epochs.Event) {})
	cmd := exec.Command(compile(t, "../../test/workloads/c/bursts.c"), "200", "5000")
	if err := tr.Launch(func() (int, error) { return 0, cmd.Start() }); err != nil {
		t.Fatal(err)
	}
	cpu := last(t, cmd.Process.Pid)
	put := map[uint64]bool{} // when the program left the CPU, whose timer was put off
	began, before := time.Now(), idleTime(t, cpu)
	for idleTime(t, cpu)-before < 300*time.Millisecond &&
		time.Since(began) < 5*time.Second {
		entry, err := tr.objects.Cpus.LookupBytes(uint32(cpu))
		if err != nil {
			t.Fatal(err)
		}
		at := func(name string) uint64 {
			return binary.LittleEndian.Uint64(entry[offsets[name]:])
		}
		if left := at("left"); left > 0 && at("from") == 0 && entry[offsets["armed"]] == 0 {
			put[left] = true
		}
		time.Sleep(time.Millisecond)
	}
	// Beside other work the CPU is seldom idle, and then its timer stays.
	if idle := idleTime(t, cpu) - before; idle < 300*time.Millisecond {
		t.Logf("the CPU was idle for only %v", idle)
	} else if len(put) < 10 {
		t.Errorf("the CPU was idle for %v, and %d sleeps were without a timer", idle, len(put))
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	r.finish(t)
}

// last has a process run on the last CPU that it may run on.
func last(t *testing.T, pid int) (cpu int) {
	t.Helper()
	var may unix.CPUSet
	if err := unix.SchedGetaffinity(pid, &may); err != nil {
		t.Fatal(err)
	}
	for i := range 8 * int(unsafe.Sizeof(may)) {
		if may.IsSet(i) {
			cpu = i
		}
	}
	may.Zero()
	may.Set(cpu)
	if err := unix.SchedSetaffinity(pid, &may); err != nil {
		t.Fatal(err)
	}
	return cpu
}

// idleTime is the time for which a CPU has been idle, by the kernel's account in 10 ms.
func idleTime(t *testing.T, cpu int) time.Duration {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) > 4 && f[0] == fmt.Sprint("cpu", cpu) {
			n, err := strconv.ParseInt(f[4], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return time.Duration(n) * 10 * time.Millisecond
		}
	}
	t.Fatalf("no CPU %d in /proc/stat", cpu)
	return 0
}
