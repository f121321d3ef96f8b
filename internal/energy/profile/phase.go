package profile

import "strings"

// Phases of a thread.
const (
	Application = "application"
	GC          = "gc"
	Compiler    = "jit"
	VM          = "vm" // a virtual machine's other threads
)

// phases are the names that runtimes give their own threads, cut to the 15 bytes the kernel keeps:
// HotSpot's (share/gc/*, share/runtime), OpenJ9's and V8's.
var phases = []struct{ prefix, phase string }{
	{"GC Thread", GC}, {"G1 ", GC}, {"ParGC ", GC}, {"XWorker", GC},
	{"ZWorker", GC}, {"ZDriver", GC},
	{"ZDirector", GC}, {"ZStat", GC}, {"Shenandoah GC", GC},
	{"Concurrent Mark", GC}, {"CMS ", GC}, {"GC Slave", GC},
	{"C1 CompilerThre", Compiler}, {"C2 CompilerThre", Compiler}, {"Sweeper thread", Compiler},
	{"JVMCI", Compiler}, {"JIT Compilation", Compiler},
	{"VM Thread", VM}, {"VM Periodic Tas", VM}, {"Signal Dispatch", VM},
	{"Service Thread", VM}, {"Monitor Deflati", VM},
	{"Reference Handl", VM}, {"Finalizer", VM}, {"Common-Cleaner", VM},
	{"Notification Th", VM}, {"Attach Listener", VM},
	{"DestroyJavaVM", VM},
}

// PhaseUnit returns the unit for what a virtual machine's own threads do. A compiler's differs from
// that of the code it compiled.
func PhaseUnit(phase string) string {
	if phase == Compiler {
		return "[jit compiler]"
	}
	return "[" + phase + "]"
}

// PhaseOf returns what a thread is for, by its name.
func PhaseOf(comm string) string {
	for _, p := range phases {
		if strings.HasPrefix(comm, p.prefix) {
			return p.phase
		}
	}
	return Application
}

// collectors are the functions in which a runtime without threads for it collects garbage: Go's.
var collectors = []string{"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge"}
