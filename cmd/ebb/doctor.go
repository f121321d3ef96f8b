package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/internal/sysfs"
)

// doctor is what the flags of ebb doctor say.
type doctor struct {
	root, procRoot, runDir string
	measure                bool
}

func newDoctor(std command.Stdio) *cobra.Command {
	var asJSON bool
	var d doctor
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "what this machine offers, and what ebb would do with it",
		Long: `Looks at what ebb needs, each with its reason and with what to do to get more, and changes nothing. As another user
than root it shows what that user may know.

With --measure it takes hold of the frequencies for a tenth of a second, to find out how long a request takes until the
clock has it, and puts them back.`,
		Example: "  sudo ebb doctor\n  sudo ebb doctor --measure\n  ebb doctor --json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			findings := d.examine()
			if asJSON {
				return command.WriteJSON(std.Out, findings)
			}
			return printFindings(std.Out, findings)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.BoolVar(&d.measure, "measure", false,
		"change the frequency for a tenth of a second, to measure how long that takes")
	f.StringVar(&d.root, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	f.StringVar(&d.procRoot, "procfs", "/proc",
		"`ROOT` of the machine's processes, where other governors are looked for")
	f.StringVar(&d.runDir, "run-dir", cpufreq.DefaultRunDir,
		"`DIRECTORY` of the snapshot of the machine's settings")
	return cmd
}

// finding is one line of the doctor's page.
type finding struct {
	What   string `json:"what"`
	State  string `json:"state"` // "yes", "no", "unknown"
	Detail string `json:"detail"`
	// Advice is what to do to get more; empty when there is nothing to gain.
	Advice string `json:"advice,omitempty"`
}

func (d *doctor) examine() []finding {
	tracing := examineTracing()
	out := []finding{examineKernel(), examineBTF(d.root), tracing, examineCapabilities()}
	fs, err := sysfs.Open(d.root)
	if err != nil {
		return append(out, finding{"sysfs", "unknown", err.Error(), ""})
	}
	defer fs.Close()
	found := d.rivals(fs)
	out = append(out, examineCPUs(fs), examineFrequency(fs), examineStates(fs), examineActuator(fs),
		d.examineSettle(fs, found), examineCounters(),
		examineMeter(fs), examineMemory(fs), examineCgroups(), examineRivals(found),
		d.examineLeftover(), d.verdict(fs, tracing, found))
	return out
}

// indent is where the details of the page begin.
const indent = 23

func printFindings(w io.Writer, findings []finding) error {
	width := command.PageWidth(w) - indent
	var b strings.Builder
	for _, f := range findings {
		lines := command.Wrap(f.Detail, width)
		if f.Advice != "" {
			lines = append(lines, command.Wrap("-> "+f.Advice, width)...)
		}
		what, state := f.What, f.State
		for _, line := range lines {
			printable.Fprintf(&b, "%-13s %-8s %s\n", what, state, line)
			what, state = "", ""
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
