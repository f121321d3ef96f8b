package train

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// Program is a program that runs while the meter is read.
type Program struct {
	Name string
	Argv []string // empty: nothing runs
	// Time bounds the program's run; 0: it runs until it ends.
	Time time.Duration
	// Progress is a file in whose first 8 bytes the program counts its operations, little-endian;
	// empty: it counts none. By it a selection measures what counting costs.
	Progress string
	// own reports whether it is one of ebb's own: it runs for its time, and its output is of no
	// interest.
	own bool
}

// idle names the program that runs nothing.
const idle = "idle"

// leastStep divides a program's time: a step of load lasts at least that part, 3 of 30 s.
const leastStep = 10

// Basic returns the programs of every training: nothing, then steps of load. Executable is ebb's
// own.
func Basic(executable string, cpus int, each time.Duration) []Program {
	steps := time.Duration(steps(cpus))
	return []Program{{Name: idle, Time: each, own: true},
		bundled(executable, load, max(each, steps*each/leastStep))}
}

// Suite returns ebb's small programs, without the steps of load.
func Suite(executable string, each time.Duration) (out []Program) {
	for _, name := range programNames()[1:] {
		out = append(out, bundled(executable, name, each))
	}
	return out
}

func bundled(executable, name string, time time.Duration) Program {
	return Program{Name: name, Time: time, own: true,
		Argv: []string{executable, programCommand, name, fmt.Sprint(time.Seconds())}}
}

// Given returns a program from the command line. Most bounds its run; 0: it runs until it ends.
func Given(argv []string, most time.Duration) Program {
	return Program{Name: filepath.Base(argv[0]), Argv: argv, Time: most}
}

// planFile is the form of a plan in TOML.
type planFile struct {
	Program []struct {
		Name     string
		Command  []string
		Time     string
		Progress string
	}
}

// Bounds of a plan. The TOML library's work grows with the square of how deep a line's dotted keys
// go, and faster.
const (
	maxPlan = 16 << 10 // bytes
	maxLine = 2048
)

// ReadPlan reads a plan of programs: TOML with a table [[program]] for each, which has its command
// as a list, and may have a name, the most time that it runs, and a file with its progress.
func ReadPlan(r io.Reader, most time.Duration) (out []Program, err error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPlan+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxPlan {
		return nil, fmt.Errorf("it has more than %d bytes", maxPlan)
	}
	for line := range strings.Lines(string(text)) {
		if len(line) > maxLine {
			return nil, fmt.Errorf("it has a line of more than %d bytes", maxLine)
		}
	}
	var f planFile
	meta, err := toml.Decode(string(text), &f)
	if err != nil {
		return nil, err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("unknown key %s", unknown[0])
	}
	if len(f.Program) == 0 {
		return nil, fmt.Errorf("it has no [[program]]")
	}
	for i, p := range f.Program {
		if len(p.Command) == 0 || p.Command[0] == "" {
			return nil, fmt.Errorf("program %d has no command", i+1)
		}
		g := Given(p.Command, most)
		g.Progress = p.Progress
		if p.Name != "" {
			g.Name = p.Name
		}
		if p.Time != "" {
			if g.Time, err = time.ParseDuration(p.Time); err != nil || g.Time <= 0 {
				return nil, fmt.Errorf("program %s: %q is no time", g.Name, p.Time)
			}
		}
		out = append(out, g)
	}
	return out, nil
}

// maxName bounds a program's name, in bytes, below the bound of power models.
const maxName = 200

// check refuses names that two programs have, or that ebb's own programs have, and commands that
// are not there: else the first minutes of a training would show it.
func check(all []Program) error {
	var names []string
	for _, p := range all {
		if slices.Contains(names, p.Name) {
			return fmt.Errorf("two programs are called %q: give one another name in a plan", p.Name)
		}
		if len(p.Name) > maxName {
			return fmt.Errorf("a program's name has more than %d bytes", maxName)
		}
		names = append(names, p.Name)
		if p.own {
			continue
		}
		if _, err := exec.LookPath(p.Argv[0]); err != nil {
			return fmt.Errorf("find the command of %s: %w", p.Name, err)
		}
	}
	return nil
}
