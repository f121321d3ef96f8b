package bpf

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cilium/ebpf/btf"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestMain has all tests take an older kernel's ways with EBB_WAYS=old, and those of PREEMPT_RT
// with EBB_WAYS=untimed. Tests of the timers fail then.
func TestMain(m *testing.M) {
	switch os.Getenv("EBB_WAYS") {
	case "old":
		force = oldWays
	case "untimed":
		force = untimed
	}
	os.Exit(m.Run())
}

// oldWays are those of Linux 5.15.
func oldWays(ways) ways { return ways{timers: true} }

// untimed are those of a kernel with PREEMPT_RT.
func untimed(w ways) ways {
	w.timers = false
	return w
}

// by runs tests with these ways.
func by(t *testing.T, w func(ways) ways, tests map[string]func(*testing.T)) {
	t.Helper()
	before := force
	force = w
	defer func() { force = before }()
	for name, test := range tests {
		t.Run(name, test)
	}
}

// kernelTypes are a kernel's, as far as they say what it can do: its helpers, the number of
// sched_switch's arguments, and the name of a thread's state.
func kernelTypes(t *testing.T, helpers string, arguments int, state string) *btf.Spec {
	t.Helper()
	proto := &btf.FuncProto{Return: &btf.Void{}}
	for range arguments {
		proto.Params = append(proto.Params, btf.FuncParam{Type: &btf.Pointer{
			Target: &btf.Void{}}})
	}
	list := &btf.Enum{Name: "bpf_func_id", Size: 4}
	for i, name := range strings.Fields(helpers) {
		list.Values = append(list.Values, btf.EnumValue{Name: "BPF_FUNC_" + name,
			Value: uint64(i)})
	}
	b, err := btf.NewBuilder([]btf.Type{list,
		&btf.Typedef{Name: "btf_trace_sched_switch", Type: &btf.Pointer{Target: proto}},
		&btf.Struct{Name: "task_struct", Size: 4, Members: []btf.Member{{Name: state,
			Type: &btf.Int{Name: "unsigned int", Size: 4}}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := b.Marshal(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	types, err := btf.LoadSpecFromReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return types
}

// TestWaysOf: what a kernel can do decides, and not its number; what it lacks is named.
func TestWaysOf(t *testing.T) {
	const needed = "task_storage_get timer_init task_pt_regs get_attach_cookie "
	const all = "task storage, BPF timers, the registers of a thread and numbers for attached " +
		"programs"
	for _, c := range []struct {
		name, helpers string
		arguments     int
		state         string
		release       string
		want          ways
		lacks         string
	}{
		{"6.18", needed + "loop", 5, "__state", "6.18.1", ways{true, true, true}, ""},
		{"RHEL 9's", needed + "loop", 4, "__state", "5.14.0-427.el9", ways{true, false, true}, ""},
		{"5.15", needed, 4, "__state", "5.15.0-91-generic", ways{timers: true}, ""},
		{"5.15 before 5.14's name", needed, 4, "state", "5.15", ways{timers: true},
			"this kernel is 5.15; ebb needs 6.1, or another one with " + all +
				": it lacks the state of a thread"},
		{"5.10", "probe_read_kernel", 4, "state", "5.10.0-32-amd64", ways{timers: true},
			"this kernel is 5.10; ebb needs 6.1, or another one with " + all + ": it lacks task " +
				"storage, BPF timers, the registers of a thread, numbers for attached programs " +
				"and the state of a thread"},
		{"6.18 without timers", "task_storage_get task_pt_regs get_attach_cookie loop", 5,
			"__state", "6.18", ways{true, true, true},
			"this kernel is 6.18; ebb needs 6.1, or another one with " + all + ": it lacks BPF " +
				"timers"},
	} {
		got, err := waysOf(kernelTypes(t, c.helpers, c.arguments, c.state), c.release)
		if got != c.want || fmt.Sprint(err) != c.lacks && !(err == nil && c.lacks == "") {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		if (err != nil) != errors.Is(err, ErrNotSupported) {
			t.Errorf("%s: %v is another error", c.name, err)
		}
	}
}

// TestOldWays: by an older kernel's ways tests of each kind hold, on any kernel.
func TestOldWays(t *testing.T) {
	by(t, oldWays, map[string]func(*testing.T){
		"exact":       TestFutexSleepsAreCountedExactly,
		"rest":        TestRest,
		"asleep":      TestSleepingCPUsTimer,
		"timers":      TestTimers,
		"wakes":       TestConcurrentWakesAreNotLost,
		"the end":     TestNothingIsMissingAfterTheEnd,
		"tried again": TestTimersAreTriedAgain,
	})
}

// TestUntimed: without timers nothing is lost either, threads that keep their CPUs have slices, and
// a target that sleeps wakes nobody.
func TestUntimed(t *testing.T) {
	by(t, untimed, map[string]func(*testing.T){
		"exact":    TestFutexSleepsAreCountedExactly,
		"counters": TestCountersAdvanceWithTheSlices,
		"attach":   TestAttachSeesARunningThread,
		"wakes":    TestWakeEndsEveryNext,
		"the end":  long(TestNothingIsMissingAfterTheEnd),
		"idle":     TestIdleTargetWakesNobody,
		"hold-off": long(TestHoldOffTracesWindowsOnly),
	})
}

// long leaves a test to make test-all.
func long(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) {
		devtest.Long(t)
		test(t)
	}
}
