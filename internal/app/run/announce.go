package run

import (
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// announce prints what ebb is going to do, and how it ends. On a terminal each sentence is cut to
// one line.
func (r *run) announce(messages io.Writer, argv []string) {
	width := command.PageWidth(messages)
	lines := append([]string{r.runs(argv), r.doing()}, r.replaces...)
	lines = append(lines, r.Notices...)
	if r.Marks != "" {
		lines = append(lines, r.Marks)
	}
	for _, line := range lines {
		printable.Fprintf(messages, "%s\n", command.Clause("ebb: "+line, width))
	}
}

// runs says what is governed, as which user, and how it can be stopped.
func (r *run) runs(argv []string) string {
	does := "governs"
	if r.settings.RecordOnly {
		does = "records"
	}
	last := ""
	if d := r.settings.Duration; d > 0 {
		last = " for " + d.String()
	}
	if t, several := r.target.(*several); several {
		return fmt.Sprintf("%s %v%s%s; Ctrl-C ends ebb, and they run on", does, r.target, last,
			t.waiting())
	}
	if len(argv) == 0 {
		return fmt.Sprintf("%s %v%s; Ctrl-C ends ebb, and it runs on", does, r.target, last)
	}
	as := own()
	if id := r.Identity; id != nil {
		as = id.Name
		if r.settings.User == "" {
			as += ", who called sudo"
		}
	}
	const longest = 24 // most characters of a command's name
	return fmt.Sprintf("%s %s%s as %s; Ctrl-C ends it", does,
		printable.Cut(filepath.Base(argv[0]), longest), last, as)
}

// own returns the name of ebb's own user.
func own() string {
	id := strconv.Itoa(os.Geteuid())
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "user " + id
}

// doing says how frequencies are set.
func (r *run) doing() string {
	if r.Actuator.Name() == cpufreq.Shadow {
		return "shadow mode, nothing is written: " + r.Actuator.Reason()
	}
	doing := "setting the frequency by " + r.Actuator.Name() + ": " + r.Actuator.Reason()
	if r.settling != "" {
		doing += "; " + r.settling
	}
	if l, ok := cpufreq.LimitsOf(r.Actuator); ok && l.Unread != "" {
		doing += "; the CPUs of " + l.Unread + ", which lacks what that takes, keep their clock"
	}
	return doing
}

// replaced returns sentences on the existing files that the run's end replaces.
func (s *Settings) replaced() (lines []string) {
	table := ""
	if s.RecordOnly {
		table = s.Sensitivity.File
	}
	for _, f := range []struct{ what, path string }{{"report", s.Files.Report},
		{"recording", s.Files.Recording}, {"epoch table", s.Files.Epochs},
		{"table of functions", table}} {
		if f.path == "" {
			continue
		}
		if i, err := os.Stat(f.path); err == nil && i.Mode().IsRegular() && i.Size() > 0 {
			lines = append(lines,
				fmt.Sprintf("%s exists: this run's %s replaces it", f.path, f.what))
		}
	}
	return lines
}
