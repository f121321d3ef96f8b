package importrules

// internalRules are of units and of the packages below internal, which the others share.
var internalRules = []Rule{
	{
		Package: "internal/monotonic", May: []string{"units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "the clock is read in one way, whoever asks",
	}, {
		Package: "internal/sysfs",
		Why:     "reading and writing one file safely needs no knowledge of what is in it",
	}, {
		Package: "internal/sysfs/sysfstest",
		Why:     "the tests' trees of files stand in for the kernel, whoever reads them",
	}, {
		Package: "internal/output", Extern: []string{"golang.org/x/sys/unix"},
		Why: "writing a file safely needs no knowledge of what is in it",
	}, {
		Package: "internal/columns", Pure: true, May: []string{"internal/printable"},
		Why: "how a table is laid out depends on neither its figures nor the terminal",
	}, {
		Package: "internal/command", May: []string{"internal/output", "internal/printable"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "how a subcommand fails, writes and ends does not depend on what it does",
	}, {
		Package: "internal/inventory", May: []string{"hpc", "ladder", "topology",
			"internal/sysfs"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "what a machine is does not depend on what ebb does with it",
	}, {
		Package: "internal/peak",
		Why:     "the kernel's figure of a process's memory is the same for every caller",
	}, {
		Package: "internal/captest", Extern: []string{"golang.org/x/sys/unix"},
		Why: "tests give up capabilities alike, whatever they test",
	}, {
		Package: "internal/page/pagetest",
		Why:     "a browser shows every page alike",
	}, {
		Package: "internal/cputime", Pure: true,
		Why: "the kernel's account of CPU time reads the same, whoever asks",
	}, {
		Package: "internal/procstat",
		Why:     "a process's line in /proc reads the same, whoever asks",
	}, {
		Package: "internal/reap", Extern: []string{"golang.org/x/sys/unix"},
		Why: "every child's status is taken in the same way",
	}, {
		Package: "internal/leftover", Extern: []string{"golang.org/x/sys/unix"},
		Why: "removing a file safely needs no knowledge of what is in it",
	}, {
		Package: "internal/packed", Pure: true,
		Why: "gzip's files are recognised by their bytes alone",
	}, {
		Package: "internal/input", May: []string{"internal/packed"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "reading a file safely needs no knowledge of what is in it",
	}, {
		Package: "internal/seed",
		Why:     "a random test's seed does not depend on what it tests",
	}, {
		Package: "internal/golden", May: []string{"internal/input"},
		Why: "comparing a golden file needs no knowledge of its contents",
	}, {
		Package: "internal/tolerance", Pure: true,
		Why: "the reach of chance is arithmetic",
	}, {
		Package: "internal/printable", Pure: true,
		Why: "the printable form of a name depends on the name alone",
	}, {
		Package: "internal/ringbuf", Extern: []string{"golang.org/x/sys/unix"},
		Why: "taking records out of the kernel needs no knowledge of their contents",
	}, {
		Package: "internal/regular", Extern: []string{"golang.org/x/sys/unix"},
		Why: "opening a file that others may have put there needs no knowledge of what is in it",
	}, {
		Package: "internal/attach", May: []string{"internal/regular"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why:    "the kernel refuses programs for the same reasons, whatever they do",
	}, {
		Package: "internal/scribe", May: []string{"internal/reap"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "what writes to disks and readers that may wait knows nothing of what is written",
	}, {
		Package: "internal/bounded",
		Why:     "counting a call's allocations needs no knowledge of the call",
	}, {
		Package: "internal/figures",
		Why:     "the documentation's figures are compared with files, whatever wrote them",
	}, {
		Package: "internal/chart", Pure: true,
		Why: "a drawing is made of numbers and names, wherever they come from",
	}, {
		Package: "internal/page", Single: true,
		May: []string{"internal/chart", "internal/printable"},
		Why: "all pages look alike",
	}, {
		Package: "internal/prose", Pure: true,
		Why: "how a text reads does not depend on what the program does",
	}, {
		Package: "internal/importrules/pure", May: []string{"internal/importrules"},
		Why: "the tests of pure packages are run by the rules that make them pure",
	}, {
		Package: "internal/importrules", Single: true,
		Why: "the rules are data",
	},
}
