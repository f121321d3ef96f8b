package devtest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Manual says where a program's manual pages are, and what they are made of.
type Manual struct {
	Root    *cobra.Command
	Release string // the program's release
	Columns int    // bound of lines that stay as they are; man has no more columns
	Dir     string // folder of the pages, each in one file
	Mine    func(file string) bool
}

// ManualPages compares a program's pages with its help: one for each command, and none besides.
func ManualPages(t *testing.T, m *Manual) {
	t.Helper()
	var pages []string
	var write func(*cobra.Command)
	write = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			return
		}
		pages = append(pages, manualName(c)+".1")
		Golden(t, filepath.Join(m.Dir, manualName(c)+".1"), manual(c, m.Release))
		for line := range strings.Lines(c.Long + "\n" + c.Example) {
			line = strings.TrimSuffix(line, "\n")
			if n := len([]rune(line)); strings.HasPrefix(line, " ") && n > m.Columns {
				t.Errorf("%s: %d columns, which are too many for man: %s", c.CommandPath(), n, line)
			}
		}
		for _, sub := range c.Commands() {
			write(sub)
		}
	}
	write(m.Root)
	files, err := os.ReadDir(m.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !m.Mine(f.Name()) || slices.Contains(pages, f.Name()) {
			continue
		}
		if Updating() {
			if err := os.Remove(filepath.Join(m.Dir, f.Name())); err != nil {
				t.Error(err)
			}
			continue
		}
		t.Errorf("%s is no command's page (-update writes the files anew)", f.Name())
	}
}

func manualName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manual returns c's help as a page for man(7).
func manual(c *cobra.Command, release string) []byte {
	var out bytes.Buffer
	name := manualName(c)
	fmt.Fprint(&out, ".\\\" The command's help: go test ./cmd/... -run Manual -update\n")
	fmt.Fprintf(&out, ".TH %s 1 \"\" \"ebb %s\" \"ebb\"\n", strings.ToUpper(name), release)
	// No line is filled with spaces, and man puts no hyphen into a name.
	fmt.Fprint(&out, ".ad l\n.nh\n")
	fmt.Fprintf(&out, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	fmt.Fprintf(&out, ".SH SYNOPSIS\n.HP 4\n%s\n", roff(c.UseLine()))
	fmt.Fprintf(&out, ".SH DESCRIPTION\n")
	paragraphs(&out, c.Long)
	if c.Example != "" {
		fmt.Fprintf(&out, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	fmt.Fprintf(&out, ".SH OPTIONS\n")
	c.InitDefaultHelpFlag()
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		fmt.Fprint(&out, ".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(&out, "\\fB\\-%s\\fR, ", roff(f.Shorthand))
		}
		fmt.Fprintf(&out, "\\fB\\-\\-%s\\fR", roff(f.Name))
		if value != "" {
			fmt.Fprintf(&out, " \\fI%s\\fR", roff(value))
		}
		one := pflag.NewFlagSet("", pflag.ContinueOnError)
		one.AddFlag(f)
		_, preset, _ := strings.Cut(one.FlagUsages(), usage) // the default, as help has it
		fmt.Fprintf(&out, "\n%s\n", roff(usage+strings.TrimRight(preset, "\n")))
	})
	fmt.Fprintf(&out, ".SH SEE ALSO\n%s\n", strings.Join(related(c), ",\n"))
	return out.Bytes()
}

// related returns the pages of the command that c belongs to, and of those that belong to c.
func related(c *cobra.Command) (out []string) {
	all := c.Commands()
	if c.HasParent() {
		all = append(all, c.Parent())
	}
	for _, other := range all {
		if !other.Hidden && other.Name() != "help" && other.Name() != "completion" {
			out = append(out, fmt.Sprintf("\\fB%s\\fR(1)", roff(manualName(other))))
		}
	}
	return out
}

// paragraphs writes a help text: blank lines divide paragraphs, indented lines stay as they are.
func paragraphs(out io.Writer, text string) {
	kept := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, " "); indented != kept {
			kept = indented
			fmt.Fprintln(out, map[bool]string{true: ".nf", false: ".fi"}[kept])
		}
		if line == "" {
			fmt.Fprintln(out, ".PP")
		} else {
			fmt.Fprintln(out, roff(line))
		}
	}
	if kept {
		fmt.Fprintln(out, ".fi")
	}
}

// roff escapes what would be a request or another character to man.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
