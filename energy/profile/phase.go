package profile

import "strings"

// Phases of a thread.
const (
	Application = "application"
	Collector   = "gc"
	Compiler    = "jit"
	Machine     = "vm" // a virtual machine's other threads
)

// phases are the names that runtimes give their own threads, cut to the 15 bytes the kernel keeps:
// HotSpot's (share/gc/*, share/runtime), OpenJ9's and V8's.
var phases = []struct{ prefix, phase string }{
	{"GC Thread", Collector}, {"G1 ", Collector}, {"ParGC ", Collector}, {"XWorker", Collector},
	{"ZWorker", Collector}, {"ZDriver", Collector},
	{"ZDirector", Collector}, {"ZStat", Collector}, {"Shenandoah GC", Collector},
	{"Concurrent Mark", Collector}, {"CMS ", Collector}, {"GC Slave", Collector},
	{"C1 CompilerThre", Compiler}, {"C2 CompilerThre", Compiler}, {"Sweeper thread", Compiler},
	{"JVMCI", Compiler}, {"JIT Compilation", Compiler},
	{"VM Thread", Machine}, {"VM Periodic Tas", Machine}, {"Signal Dispatch", Machine},
	{"Service Thread", Machine}, {"Monitor Deflati", Machine},
	{"Reference Handl", Machine}, {"Finalizer", Machine}, {"Common-Cleaner", Machine},
	{"Notification Th", Machine}, {"Attach Listener", Machine},
	{"DestroyJavaVM", Machine},
}

// PhaseUnit is the unit of what a virtual machine's own threads do. A compiler's is told apart from
// what it compiled.
func PhaseUnit(phase string) string {
	if phase == Compiler {
		return "[jit compiler]"
	}
	return "[" + phase + "]"
}

// PhaseOf says what a thread is for, by its name.
func PhaseOf(comm string) string {
	for _, p := range phases {
		if strings.HasPrefix(comm, p.prefix) {
			return p.phase
		}
	}
	return Application
}

// collectors are the functions in which a runtime collects garbage where it has no threads for it:
// Go's.
var collectors = []string{"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge"}
