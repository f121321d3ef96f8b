package importrules

// internalRules are the rules of units and of the packages below internal that the others share.
var internalRules = []Rule{
	{
		Package: "internal/linux/monotonic", May: []string{"units"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "the clock is read in one way, whoever asks",
	}, {
		Package: "internal/linux/sysfs",
		Why:     "reading and writing one file safely needs no knowledge of what is in it",
	}, {
		Package: "internal/command",
		May: []string{"internal/app/config", "internal/linux/proc", "internal/render/printable",
			"internal/safefile", "policy", "predictor"},
		Extern: []string{"github.com/spf13/cobra", "github.com/spf13/pflag",
			"golang.org/x/sys/unix"},
		Why: "how a subcommand fails, writes and ends does not depend on what it does",
	}, {
		Package: "internal/inventory",
		May:     []string{"hpc", "internal/linux/sysfs", "internal/power/wattmeter"},
		Extern:  []string{"golang.org/x/sys/unix"},
		Why:     "what a machine is does not depend on what ebb does with it",
	}, {
		Package: "internal/tolerance", Pure: true,
		Why: "the reach of chance is arithmetic",
	}, {
		Package: "internal/render/printable", Pure: true,
		Why: "the printable form of a name depends on the name alone",
	}, {
		Package: "internal/render/chart",
		May:     []string{"internal/render/printable"},
		Single:  true,
		Why:     "a drawing is made of numbers and names, wherever they come from",
	}, {
		Package: "test/prose", Pure: true,
		Why: "how a text reads does not depend on what the program does",
	}, {
		Package: "test/gate", May: []string{"internal/devtest", "test/importrules"},
		Extern: []string{"golang.org/x/sys/unix"},
		Why:    "what the tests run below knows no test; the rules say which packages are pure",
	}, {
		Package: "test/importrules", Single: true,
		Why: "the rules are data",
	}, {
		Package: "internal/devtest",
		May:     []string{"internal/linux/cgroup", "internal/safefile"},
		Extern: []string{"github.com/spf13/cobra", "github.com/spf13/pflag",
			"golang.org/x/sys/unix"},
		Why: "tests share what depends on nothing that they test: programs with probes are made " +
			"from the format's description, and not by what reads it; their cgroups lie below " +
			"the hierarchy that internal/linux/cgroup finds",
	}, {
		Package: "internal/safefile",
		Extern:  []string{"golang.org/x/sys/unix"},
		Why:     "reading, writing and removing a file safely needs no knowledge of what is in it",
	}, {
		Package: "internal/linux/unixconn",
		Extern:  []string{"golang.org/x/sys/unix"},
		Why: "packets and descriptors are carried without knowledge of what they mean; what a " +
			"peer can leave in a connection is the same, whoever reads and closes it",
	}, {
		Package: "internal/linux/proc", May: []string{"internal/linux/monotonic"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why:    "what the kernel says of a process reads the same, whoever asks",
	}, {
		Package: "internal/linux/tracing", May: []string{"internal/safefile"},
		Extern: []string{"github.com/cilium/ebpf", "golang.org/x/sys/unix"},
		Why: "the kernel refuses programs and hands out records alike, whatever they do and " +
			"contain",
	},
}
