package bpf

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

// ways are the optional features of the kernel that the programs use.
type ways struct {
	// loop says that the kernel has bpf_loop (Linux 5.17). Without it the programs go over the CPUs
	// by a loop that the verifier follows to its end.
	loop bool
	// state says that sched_switch reports the state in which a thread leaves (Linux 5.18). Without
	// it the state is read from the thread, and Drops.StateLate counts where that may be too late.
	state bool
	// timers says that BPF has timers. A kernel with PREEMPT_RT refuses them (ErrNoTimers), and the
	// reader's own clock ends quanta (ticker).
	timers bool
}

// force is for tests, which take away what an older kernel lacks.
var force = func(w ways) ways { return w }

// maxLoop bounds the CPUs that such a loop goes over: the verifier gives up after a million
// instructions.
const maxLoop = 1024

// needs lists the kernel's helpers that the programs cannot do without, by their names there.
var needs = []struct{ what, helper string }{
	{"task storage", "BPF_FUNC_task_storage_get"},                   // Linux 5.11
	{"BPF timers", "BPF_FUNC_timer_init"},                           // 5.15
	{"the registers of a thread", "BPF_FUNC_task_pt_regs"},          // 5.15
	{"numbers for attached programs", "BPF_FUNC_get_attach_cookie"}, // 5.15
}

// Supported returns nil if this kernel has what the programs need, according to its type
// information; it loads nothing. The error is ErrNotSupported and names what is missing.
func Supported() error {
	_, err := lookAtKernel(btf.NewCache())
	return err
}

func lookAtKernel(cache *btf.Cache) (ways, error) {
	// The library also finds the types in files, which do not serve to attach a program.
	if _, err := os.Stat("/sys/kernel/btf/vmlinux"); err != nil {
		return ways{}, fmt.Errorf("%w: it has no type information (CONFIG_DEBUG_INFO_BTF): %w",
			ErrNotSupported, err)
	}
	types, err := cache.Kernel()
	if err != nil {
		return ways{}, fmt.Errorf("read the kernel's types: %w", err)
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return ways{}, fmt.Errorf("ask for the kernel's version: %w", err)
	}
	w, err := waysOf(types, unix.ByteSliceToString(name.Release[:]))
	return force(w), err
}

// waysOf returns the ways that a kernel has by its types and not by its release, because
// distributions add new features to old versions.
func waysOf(types *btf.Spec, release string) (ways, error) {
	w := ways{loop: hasHelper(types, "BPF_FUNC_loop"), state: reportsState(types), timers: true}
	var all, lacks []string
	for _, need := range needs {
		all = append(all, need.what)
		if !hasHelper(types, need.helper) {
			lacks = append(lacks, need.what)
		}
	}
	if !w.state && !keepsState(types) {
		lacks = append(lacks, "the state of a thread")
	}
	if len(lacks) == 0 {
		return w, nil
	}
	version := strings.SplitN(release, ".", 3)
	return w, &lacking{fmt.Sprintf("this kernel is %s; ebb needs 6.1, or another one with %s: it "+
		"lacks %s", strings.Join(version[:min(2, len(version))], "."), listed(all), listed(lacks))}
}

// lacking is ErrNotSupported with a sentence on what is missing.
type lacking struct{ sentence string }

func (l *lacking) Error() string        { return l.sentence }
func (l *lacking) Is(target error) bool { return target == ErrNotSupported }

func listed(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// refusesTimers reports whether the verifier refused a timer for PREEMPT_RT.
func refusesTimers(err error) bool {
	var verifier *ebpf.VerifierError
	return errors.As(err, &verifier) && slices.ContainsFunc(verifier.Log, func(line string) bool {
		return strings.Contains(line, "bpf_timer cannot be used for PREEMPT_RT")
	})
}

// hasHelper reports whether the kernel has a helper of this name. It reports true for a kernel
// without such a list, so that loading finds out.
func hasHelper(types *btf.Spec, name string) bool {
	var helpers *btf.Enum
	if types.TypeByName("bpf_func_id", &helpers) != nil {
		return true
	}
	for i := range helpers.Values {
		if helpers.Values[i].Name == name {
			return true
		}
	}
	return false
}

// reportsState reports whether sched_switch reports the state in which a thread leaves. Its
// arguments are the kernel's own data, whether the thread was preempted, the two threads, and then
// the state.
func reportsState(types *btf.Spec) bool {
	var t *btf.Typedef
	if types.TypeByName("btf_trace_sched_switch", &t) != nil {
		return true // unknown
	}
	p, ok := t.Type.(*btf.Pointer)
	if !ok {
		return true
	}
	f, ok := p.Target.(*btf.FuncProto)
	return !ok || len(f.Params) >= 5
}

// keepsState reports whether a thread's state is where the programs read it. Before Linux 5.14 it
// has another name.
func keepsState(types *btf.Spec) bool {
	var task *btf.Struct
	if types.TypeByName("task_struct", &task) != nil {
		return true // unknown
	}
	for i := range task.Members {
		if task.Members[i].Name == "__state" {
			return true
		}
	}
	return false
}

// configure sets the programs to use these ways.
func (w ways) configure(spec *ebpf.CollectionSpec, cpus int) error {
	flag := map[bool]uint32{true: 1}
	loop := uint32(0)
	if !w.loop {
		loop = uint32(min(cpus, maxLoop))
	}
	if w.timers {
		// The kernel lets no program of its type have maps with timers.
		spec.Programs["on_tick"].Instructions = asm.Instructions{
			asm.Mov.Imm(asm.R0, 0).WithSymbol("on_tick"), asm.Return()}
	} else {
		for _, name := range []string{"cpus", "stalls"} { // their types say that they have timers
			spec.Maps[name].Key, spec.Maps[name].Value = nil, nil
		}
	}
	for name, value := range map[string]uint32{"loop_cpus": loop, "reports_state": flag[w.state],
		"timers": flag[w.timers]} {
		if err := spec.Variables[name].Set(value); err != nil {
			return fmt.Errorf("set %s of the BPF programs: %w", name, err)
		}
	}
	return nil
}
