package symbols

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ebb-energy/ebb/energy/unwind"
)

// Resolver names addresses of processes. It is for one goroutine.
type Resolver struct {
	files     map[string]*file // by root, and path as its process sees it; nil where it can not be read
	roots     map[string]*root // by key
	own       *root            // this process's
	processes []*process       // by image
	kernel    table
	haveK     bool
	vdso      *vdso
	cache     map[place]Frame
	walker    unwind.Walker
	tables    int // bytes of call frame information
	budget    *Budget
	Problems  []string // what could not be read, each once
	problems  map[string]bool
	short     int // how many processes had ended before their mappings could be read
	shortAt   int // in Problems
}

// Image is one program in one process: when the process executes another one, or its id is another process's, that is
// another image.
type Image int

// NoImage is a program of which nothing can be found out any more.
const NoImage Image = 0

// process is what is known of an image.
type process struct {
	pid     int
	gone    bool // replaced by another
	astray  int  // stacks with a return address that lay in no mapping, since the mappings were read for one
	inVain  int  // how many times in a row that was in vain
	maps    []Mapping
	perfMap perfMap
	root    *root // where its files are, once it was looked at
	owner   uint32
	lived   bool
	loaded  bool
	java    java
}

type place struct {
	image Image
	addr  uint64
}

// NewResolver knows nothing yet.
func NewResolver() *Resolver {
	r := &Resolver{
		files: map[string]*file{}, roots: map[string]*root{}, processes: []*process{{gone: true}}, cache: map[place]Frame{}, problems: map[string]bool{},
		budget: NewBudget(),
	}
	r.own = r.rootOf(os.Getpid())
	return r
}

// Close closes the files that are open. What has no name by then gets none.
func (r *Resolver) Close() error {
	var errs []error
	for _, f := range r.files {
		if f != nil {
			errs = append(errs, f.close())
		}
	}
	for _, t := range r.roots {
		errs = append(errs, t.dir.Close())
	}
	for _, p := range r.processes {
		p.java.close()
	}
	clear(r.roots)
	return errors.Join(errs...)
}

// Image is a new image of a process, of which nothing is known yet.
func (r *Resolver) Image(pid int) Image {
	r.processes = append(r.processes, &process{pid: pid})
	return Image(len(r.processes) - 1)
}

// Replaced says that the process now has another program, or is another: what is known of the image stays, and nothing is
// added.
func (r *Resolver) Replaced(i Image) {
	r.processes[i].gone = true
	r.processes[i].java.close()
}

// Saw reads the mappings of a process while it lives. It is called for every sample's process with its addresses, and
// does nothing when they lie in mappings that are known. It says whether it read them.
func (r *Resolver) Saw(i Image, addrs []uint64) bool {
	p := r.processes[i]
	if p.gone {
		return false
	}
	if p.maps == nil && !p.lived {
		r.refresh(p)
		return true
	}
	for n, a := range addrs {
		if _, ok := find(p.maps, a); ok {
			continue
		}
		if n > 0 {
			// Where code keeps no frame pointers the walk goes astray: most such addresses are none. But a virtual machine
			// also gets more memory for code.
			if p.astray++; p.astray < 1<<p.inVain {
				return false
			}
			p.astray = 0
			if r.refresh(p); p.knows(a) {
				p.inVain = 0
			} else {
				p.inVain = min(p.inVain+1, maxInVain)
			}
			return true
		}
		r.refresh(p)
		return true
	}
	return false
}

// maxInVain bounds for how many stacks with an unknown return address the mappings are not read again: after each reading
// that was in vain for twice as many, up to 2 to the power of this. An unknown address that is being executed always has
// them read.
const maxInVain = 6

func (p *process) knows(addr uint64) bool {
	_, ok := find(p.maps, addr)
	return ok
}

// refresh reads the mappings again, and the symbols of files that are new, which may be deleted before the end.
func (r *Resolver) refresh(p *process) {
	maps, err := ReadMaps(p.pid)
	if err != nil || len(maps) == 0 {
		if !p.lived {
			r.ended(p.pid)
			p.lived = true // say it once
		}
		return
	}
	p.maps, p.lived = maps, true
	if info, err := os.Stat(fmt.Sprintf("/proc/%d", p.pid)); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			p.owner = stat.Uid
		}
	}
	if p.root == nil {
		p.root = r.rootOf(p.pid)
	}
	for i := range maps {
		maps[i].file = r.load(p, &maps[i])
	}
	r.refreshJava(p)
}

// ended says, in one line for all, that processes were too short-lived for their mappings to be read.
func (r *Resolver) ended(pid int) {
	if r.short++; r.short == 1 {
		r.shortAt = len(r.Problems)
		r.Problems = append(r.Problems, fmt.Sprintf("process %d had ended before its mappings could be read", pid))
		return
	}
	r.Problems[r.shortAt] = fmt.Sprintf("%d processes had ended before their mappings could be read, the last of them %d", r.short, pid)
}

func (r *Resolver) problem(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if !r.problems[s] && len(r.Problems) < 100 {
		r.problems[s] = true
		r.Problems = append(r.Problems, s)
	}
}

// maxFiles bounds how many files are kept open.
const maxFiles = 1024

// load opens a mapped file, once. One that has been deleted, or that the root does not show, is still to be had by its mapping.
func (r *Resolver) load(p *process, m *Mapping) *file {
	if !strings.HasPrefix(m.Path, "/") || strings.HasPrefix(m.Path, "/dev/") {
		return nil
	}
	key := p.root.key + "\x00" + m.Path
	if f, known := r.files[key]; known {
		return f
	}
	if len(r.files) >= maxFiles {
		r.problem("the program has mapped more than %d files: there are no names of what is in others", maxFiles)
		return nil
	}
	d, err := p.root.open(m.Path)
	if err != nil {
		if mapped, e := os.Open(fmt.Sprintf("/proc/%d/map_files/%x-%x", p.pid, m.Start, m.End)); e == nil {
			d, err = mapped, nil
		}
	}
	var f *file
	if err == nil {
		roots := []*root{p.root, r.own}
		if p.root == r.own {
			roots = roots[:1]
		}
		f, err = openELF(d, strings.TrimSuffix(m.Path, " (deleted)"), roots...)
	} else {
		err = fmt.Errorf("read symbols: %w", err)
	}
	if err != nil && !strings.HasPrefix(m.Path, "/memfd:") {
		r.problem("%v", err)
	}
	if f != nil {
		f.budget = r.budget
	}
	r.files[key] = f // nil when it can not be read
	return f
}

// Nameless is a file that has no name for functions that were asked for.
type Nameless struct {
	Module, Path string
	BuildID      string // "" where it has none
	DebugFile    string // where its symbols would be found by its build id
}

// Nameless are the files without names, in order of their paths.
func (r *Resolver) Nameless() (out []Nameless) {
	for _, f := range r.files {
		if f == nil || !f.nameless {
			continue
		}
		n := Nameless{Module: module(f.path), Path: printable(f.path), BuildID: f.id}
		if n.BuildID != "" {
			n.DebugFile = byBuildID(n.BuildID)
		}
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b Nameless) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// PerfMaps reads the perf maps of all processes that were seen, from dir, usually /tmp as the process sees it. It is called
// when the program has written them: at its end.
func (r *Resolver) PerfMaps(dir string) {
	for _, p := range r.processes {
		if p.loaded || p.gone {
			continue
		}
		t, skipped, err := readPerfMap(filepath.Join(dir, fmt.Sprintf("perf-%d.map", p.pid)), p.owner)
		if err != nil && !os.IsNotExist(unwrapAll(err)) {
			r.problem("%v", err)
		}
		if len(t.spans) == 0 && err != nil {
			continue
		}
		if err := r.budget.keep(t.size()); err != nil {
			r.problem("read perf map of process %d: %v", p.pid, err)
			continue
		}
		p.loaded, p.perfMap = true, t
		if skipped > 0 {
			r.problem("perf map of process %d: %d lines make no sense", p.pid, skipped)
		}
	}
	clear(r.cache)
}

func unwrapAll(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = u.Unwrap()
	}
}
