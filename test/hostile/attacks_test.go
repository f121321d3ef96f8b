package hostile

import (
	"flag"
	"strings"
	"testing"
)

// attack is one hostile program, or one hostile file, by what it must not achieve.
type attack struct {
	name    string
	promise string // what holds all the same
	run     func(t *testing.T)
	often   bool // continuous integration runs it
}

var attacks = []attack{
	// The probes of a Java machine's collector.
	{"ProbeFileSwapped", "no probe lies in an unchecked file: root's programs keep their code",
		attackProbeSwapped, true},
	{"ProbeFileLink", "no probe lies in a host's file that the program's is a link to",
		attackProbeLink, false},
	{"ProbeAtNoNop", "a probe's place that is no nop stays as it is", attackProbeNoNop, false},
	{"ProbeFileIsFIFO", "a FIFO does not keep ebb from starting or ending", attackProbeFIFO, false},
	{"ProbeNotes200GB", "notes that are too long are not read", attackProbeNotes, false},
	// Names, and what they become.
	{"MangledSymbolOf168Bytes", "a name that grows does not end ebb", attackSymbol168, true},
	{"MangledSymbolNested", "a name of 2 MB that is nested does not end ebb", attackSymbolNested,
		false},
	{"MangledExpression", "nor does one whose nesting is an expression's", attackSymbolExpression,
		false},
	{"MangledRust", "nor does Rust's", attackSymbolRust, false},
	{"SymbolTable", "memory is bounded: symbols", attackSymbolTable, false},
	{"EhFrame", "memory is bounded: call frame information", attackEhFrame, false},
	{"GoTable", "memory is bounded: a Go program's table", attackGoTable, false},
	{"CountedSymbols", "memory and time are bounded: symbols of a file whose functions are counted",
		attackCounted, false},
	{"SectionHeaders", "memory is bounded: section headers", attackSectionHeaders, true},
	{"PerfMap", "memory is bounded: a perf map", attackPerfMap, false},
	{"Mappings", "memory and time are bounded: 60,000 mappings with long paths", attackMappings,
		false},
	{"DeepStacks", "memory is bounded: deep stacks at a high rate", attackStacks, false},
	{"UnwindPrograms", "time at a real-time priority is bounded: call frame programs",
		attackUnwindPrograms, true},
	{"NewMappings", "time at a real-time priority is bounded: mappings that change", attackChain,
		false},
	{"SegmentMap", "time at a real-time priority is bounded: a Java machine's map of segments",
		attackSegments, false},
	// Blocking.
	{"StalledPage", "a page that is never there does not stop ebb", attackStalledPage, true},
	{"StalledFile", "a file that is never read does not stop ebb", attackStalledFile, false},
	{"StalledOpen", "a file that is never opened does not stop ebb", attackStalledOpen, false},
	{"SilentJVMs", "six Java machines that never answer do not keep the clocks", attackSilentJVMs,
		false},
	{"ReportIsFIFO", "a FIFO for the report does not keep the clocks", attackReportFIFO, true},
	{"RecordIsFIFO", "a FIFO for the recording does not keep the clocks", attackRecordFIFO, false},
	{"EpochsIsFIFO", "a FIFO for the epoch table does not keep ebb", attackEpochsFIFO, false},
	{"DeafProgram", "a second TERM ends a run whose program ignores it", attackDeaf, false},
	{"StoppedProgram", "a second TERM ends a run whose program is stopped", attackStopped, false},
	// Java machines.
	{"ReusedID", "SIGQUIT goes to no process that has got a Java machine's id", attackReusedID,
		false},
	{"ForeignSocket", "ebb asks no other user's socket", attackForeignSocket, false},
	{"LinkedSocket", "ebb connects through no link", attackLinkedSocket, false},
	{"AttachFileElsewhere", "ebb makes no file where a Java machine's user may not",
		attackElsewhere, false},
	{"ServiceForSocket", "ebb says nothing to a service in the place of a machine's socket",
		attackService, false},
	{"ClosedDirectory", "ebb reads nothing for a program where its user may not look",
		attackClosed, false},
	{"PerfMapRemoved", "ebb removes only the perf maps that it caused", attackPerfMapRemoved,
		false},
	// Files.
	{"Links", "ebb writes through no link of another user's", attackLinks, true},
	{"LinkRace", "nor through one that was something else when it looked", attackLinkRace, false},
	{"Modes", "files are as private as umask, and the file before, say", attackModes, false},
	{"FullDisk", "a full disk keeps the old file and leaves no new one", attackFullDisk, false},
	{"Typist", "the program types nothing into its caller's terminal", attackTyping, false},
	{"Keys", "the program finds no key of its caller's session", attackKeys, true},
	{"Descriptors", "the program is given no descriptor of ebb's or its caller's",
		attackDescriptors, false},
	{"StrayWrites", "the program can write to nothing that ebb has open", attackStray, false},
	// Output.
	{"ThreadNames", "no terminal obeys a thread's name", attackThreadNames, false},
	{"FileNames", "no terminal obeys a file's name, or a symbol's", attackFileNames, false},
	{"Arguments", "no terminal obeys a command line of 64 KB", attackArguments, false},
	{"CommandName", "no terminal obeys the command's name", attackCommandName, false},
	{"CgroupName", "no terminal obeys a cgroup's name", attackCgroupName, false},
	{"TableNames", "no terminal obeys what a table, a report or a configuration says",
		attackTableNames, false},
	{"Formulas", "no table of numbers computes a name", attackFormulas, false},
	// Input.
	{"DevZero", "an endless file is refused", attackDevZero, false},
	{"ConfigBomb", "a hostile configuration is refused", attackConfigBomb, false},
	{"ReportBomb", "a hostile report is refused", attackReportBomb, false},
	{"TableBomb", "a compressed bomb is refused", attackTableBomb, false},
	{"ThreadIDs", "memory is bounded: two million threads of a table", attackThreadIDs, false},
	{"Recording", "a hostile recording is refused", attackRecording, false},
	// Counts of an instrumented program.
	{"RingsScribbled", "memory and time are bounded, whatever is in the memory for calls",
		attackScribbled, true},
	{"RingsForged", "and by millions of functions and records that look right", attackForged,
		false},
	{"HookCalls", "memory and time are bounded: code that is nothing but calls of the hook",
		attackHooked, false},
	// Marks, and views of a run while it goes on.
	{"MarkFlood", "memory and time are bounded, whatever comes as marks", attackMarkFlood, true},
	{"MarkThief", "nobody can take the pipe for marks away, or keep ebb by it", attackMarkThief,
		false},
	{"MarkCrowd", "time is bounded: hundreds of marks a window in 300 threads", attackMarkCrowd,
		false},
	{"MarkKilled", "the pipe of an ebb that was killed does not stay", attackMarkKilled, false},
	{"LiveNames", "no terminal obeys what is shown while a program runs", attackLiveNames, false},
	{"ForeignStream", "memory, time and terminals are safe from a stream of another user's",
		attackForeignStream, true},
	{"LiveFIFO", "FIFOs for the stream and the trace do not keep the clocks", attackLiveFIFO,
		false},
	// Ends.
	{"Killed", "the clocks are back after SIGKILL", attackKilled, false},
	{"Frozen", "the clocks are back after SIGSTOP", attackFrozen, false},
	{"OOMKiller", "the clocks are back after the OOM killer", attackOOMKiller, false},
	{"MemoryLimit", "the clocks are back whatever a memory cgroup's limit does", attackMemoryLimit,
		false},
	{"CgroupOwner", "the clocks are back whatever the owner of ebb's first cgroup does with it",
		attackOwner, false},
	{"CgroupOwnerAtStart", "nor while the command begins there, and nothing of ebb's is held",
		attackOwnerAtStart, true},
	{"CgroupFrozenAtStart", "a second TERM ends a run whose command is kept from its beginning",
		attackOwnerAtStartForGood, false},
	// Processes.
	{"ForkBomb", "memory and time are bounded: processes that end at once", attackForkBomb, false},
	{"Execs", "memory and time are bounded: programs that execute the next", attackExecs, false},
	{"Threads", "memory and time are bounded: threads with names", attackThreads, false},
	{"ShrinkingFile", "a file that is cut while it is read costs its names", attackShrinking,
		false},
	{"ReplacedFile", "the names are those of the file that was executed", attackReplaced, false},
	{"Killer", "whoever kills ebb's unprivileged processes costs names", attackKiller, false},
	{"Starver", "whoever starves ebb's unprivileged processes costs names", attackStarver, false},
	{"Tracer", "no process of ebb's can be traced or read", attackTracer, false},
	{"Rival", "a process of any user that is called tuned keeps nothing from running", attackRival,
		false},
	// Trees and namespaces.
	{"DebugFIFO", "symbols that are a FIFO are not waited for", attackDebugFIFO, false},
	{"DebugDevice", "symbols that are a device are not opened", attackDebugDevice, false},
	{"DebugLink", "symbols that are a link out of the program's root are not opened",
		attackDebugLink, false},
	{"DebugBomb", "memory and time are bounded: symbols of 200 GB", attackDebugBomb, false},
	{"OtherProc", "a program's own /proc is not believed", attackOtherProc, false},
	{"DeviceInPlace", "a device in the place of a mapped file is not opened", attackMappedDevice,
		false},
}

// TestAttacks runs the representative ones; all of them with -all, or by name: -run
// TestAttacks/Links.
func TestAttacks(t *testing.T) {
	needRoot(t)
	pattern := flag.Lookup("test.run").Value.String()
	for _, a := range attacks {
		if a.often || *all || strings.Contains(pattern, "/") {
			t.Run(a.name, func(t *testing.T) {
				t.Log("promise: " + a.promise)
				a.run(t)
			})
		}
	}
}
