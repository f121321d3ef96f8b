package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/activity/calls"
	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/regular"
	"github.com/ebb-energy/ebb/report"
	"github.com/ebb-energy/ebb/sandbox"
)

// Count says which functions' calls are counted, of files that nobody compiled for it.
type Count struct {
	// Functions are names, or FILE:NAME; without a file they are the program's own.
	Functions []string
	Stepped   bool // also where the kernel stops a thread twice at each call
}

// checkCount checks the settings of the counting of named functions, which needs the sampling.
func (s *Settings) checkCount() error {
	c := &s.Count
	switch {
	case len(c.Functions) == 0 && c.Stepped:
		return command.Usagef("--count-stepped does nothing without --count")
	case len(c.Functions) == 0:
		return nil
	case len(c.Functions) > calls.MaxFunctions:
		return command.Usagef("--count: %d functions, at most %d can be counted",
			len(c.Functions), calls.MaxFunctions)
	case s.Methods.WarmUp > 0:
		return command.Usagef("--count counts from the start, and samples begin after --warm-up: " +
			"give one of both")
	}
	for i, f := range c.Functions {
		file, name := fileOf(f)
		switch {
		case name == "":
			return command.Usagef("--count: %q names no function", f)
		case slices.Contains(c.Functions[:i], f):
			return command.Usagef("--count: %s is there twice", f)
		case file == "" && (s.Target.Cgroup != "" || s.Target.Unit != ""):
			return command.Usagef("--count %s: with a cgroup or unit, give the file as well: "+
				"/usr/bin/PROGRAM:%s", f, name)
		}
	}
	s.Methods.Wanted = true
	return nil
}

// fileOf splits FILE:NAME at the first colon that stands alone: C++ has pairs of them.
func fileOf(s string) (file, name string) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != ':':
		case i+1 < len(s) && s[i+1] == ':':
			i++
		default:
			return s[:i], s[i+1:]
		}
	}
	return "", s
}

// counter counts the calls of named functions.
type counter struct {
	passive
	counter *calls.Counter
	files   []*codeFile
	list    []profile.CountedCalls
}

// codeFile is a file with functions that are counted.
type codeFile struct {
	*os.File
	path  string // by which it was found; empty: of a running process
	info  os.FileInfo
	names []int // of counter.list
}

// openCount finds the functions and has the kernel count them from now on. It returns nil where
// none are wanted.
func (r *Run) openCount(argv []string) (_ *counter, err error) {
	s := &r.settings.Count
	if len(s.Functions) == 0 {
		return nil, nil
	}
	c := &counter{}
	r.use(c)
	for _, f := range s.Functions {
		if err := c.name(f, r, argv); err != nil {
			return nil, command.Usagef("--count %s: %w", f, err)
		}
	}
	c.counter, err = calls.Open(r.tracer.Followed(), len(c.list))
	if err != nil {
		return nil, fmt.Errorf("--count: %w", err)
	}
	for _, f := range c.files {
		places, err := c.places(f, s.Stepped)
		if err == nil {
			err = c.counter.Attach(f.File, places)
		}
		if err == nil {
			err = f.unchanged()
		}
		switch {
		case errors.Is(err, calls.ErrPermission), errors.Is(err, calls.ErrNotSupported),
			errors.Is(err, sandbox.ErrLost):
			return nil, fmt.Errorf("--count: %w", err)
		case err != nil:
			return nil, command.Usagef("--count: %w", err)
		}
	}
	return c, nil
}

// name opens the file of a function, unless it is open already.
func (c *counter) name(given string, r *Run, argv []string) error {
	path, name := fileOf(given)
	f, err := r.codeFile(path, argv)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(c.files, func(g *codeFile) bool { return os.SameFile(g.info, f.info) })
	if at < 0 {
		c.files = append(c.files, f)
		at = len(c.files) - 1
	} else {
		f.Close() // it was not read
	}
	f = c.files[at]
	if slices.ContainsFunc(f.names, func(i int) bool { return c.list[i].Name == name }) {
		return errors.New("it is there twice")
	}
	f.names = append(f.names, len(c.list))
	c.list = append(c.list, profile.CountedCalls{Name: name, Module: filepath.Base(f.Name()),
		File: f.Name()})
	return nil
}

// codeFile opens a file by its path, or the target's program.
func (r *Run) codeFile(path string, argv []string) (*codeFile, error) {
	if path == "" && len(argv) == 0 {
		f, err := regular.OpenProgram(r.settings.Target.PID)
		if err != nil {
			return nil, err
		}
		return openedCode(f, "")
	}
	if path == "" {
		found, err := live.LookUp(argv[0])
		if err != nil {
			return nil, err
		}
		path = found
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	return openedCode(f, path)
}

func openedCode(f *os.File, path string) (*codeFile, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &codeFile{File: f, path: path, info: info}, nil
}

// places asks the sandbox where a file's functions begin, and looks at the bytes there.
func (c *counter) places(f *codeFile, stepped bool) (places []calls.Place, err error) {
	var names []string
	for _, i := range f.names {
		names = append(names, c.list[i].Name)
	}
	found, err := sandbox.Entries(context.Background(), f.File, names)
	if err != nil {
		return nil, err
	}
	for k, i := range f.names {
		x := &c.list[i]
		if found[k].Reason != "" || len(found[k].Offsets) == 0 {
			return nil, fmt.Errorf("%s in %s: %s%s", x.Name, f.Name(), found[k].Reason,
				notNative(f.Name()))
		}
		x.Shown, x.Places = found[k].Shown, len(found[k].Offsets)
		for _, offset := range found[k].Offsets {
			code := make([]byte, calls.EntryBytes)
			n, _ := f.ReadAt(code, int64(min(offset, 1<<62)))
			at, steps, err := calls.Entry(code[:n])
			if err == nil && steps && !stepped {
				err = fmt.Errorf("the kernel would stop the program twice at each call: its first "+
					"instruction (bytes % x) is none that the kernel imitates; --count-stepped "+
					"counts it all the same", code[:min(n, 4)])
			}
			if err != nil {
				return nil, fmt.Errorf("%s in %s: %w", x.Name, f.Name(), err)
			}
			x.Stepped = x.Stepped || steps
			places = append(places, calls.Place{Offset: offset + at, Function: i})
		}
	}
	return places, nil
}

// notNative says what can be had of a function that a virtual machine compiles.
func notNative(file string) string {
	if base := filepath.Base(file); base != "java" && !strings.HasPrefix(base, "python") &&
		!strings.HasPrefix(base, "node") {
		return ""
	}
	return "; methods that are compiled while the program runs have no place in a file: ebb " +
		"report has their energy by samples, without calls"
}

// unchanged reports whether a file has been written to since it was opened.
func (f *codeFile) unchanged() error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	if now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime()) {
		return fmt.Errorf("%s changed while its functions were looked up", f.Name())
	}
	return nil
}

// replaced reports whether another file has its path now.
func (f *codeFile) replaced() bool {
	if f.path == "" {
		return false
	}
	now, err := os.Stat(f.path)
	return err != nil || !os.SameFile(now, f.info)
}

// finish reads the counts.
func (c *counter) finish(_ context.Context, r *report.Report) error {
	counts, err := c.counter.Read()
	if err != nil {
		return err
	}
	for i := range counts {
		c.list[i].Calls, c.list[i].OtherCalls = counts[i].Calls, counts[i].Others
	}
	for _, f := range c.files {
		if f.replaced() {
			warn(r, fmt.Sprintf("--count: %s was replaced or removed while the program ran: "+
				"calls in a new file of this name are not counted", f.Name()))
		}
	}
	return nil
}

// price adds the counts to a report that has the energy. It does nothing for nil.
func (c *counter) price(r *report.Report) error {
	if c != nil && r.Attribution != nil {
		r.Attribution.Price(&profile.Counts{List: c.list})
	}
	return nil
}

func (c *counter) close() (err error) {
	if c.counter != nil {
		err = c.counter.Close()
	}
	for _, f := range c.files {
		f.Close() // it was only read
	}
	return err
}
