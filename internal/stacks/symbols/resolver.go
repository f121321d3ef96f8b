package symbols

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// Resolver names addresses of processes. Only one goroutine may use it.
type Resolver struct {
	source    Source
	files     map[string]*file // by device, inode and path; nil: the file cannot be read
	dumps     map[string]*dump // by device, inode and path
	processes map[Image]*process
	mappings  int // mappings that are kept of all processes
	kernel    table
	haveK     bool
	vdso      *vdso
	cache     map[imageAddress]Frame
	walker    unwind.Walker
	tables    int // bytes of call frame information that is kept
	budget    *budget
	Problems  []string // what could not be read, each once
	problems  map[string]bool
	short     int // processes that ended before their mappings could be read
	shortLast int // the last of them
}

// process holds what is known of an image.
type process struct {
	image Image
	pid   int
	gone  bool // replaced by another image; nothing more is read
	// astray is the number of stacks with a return address in no mapping, since the mappings were
	// last read for one
	astray  int
	inVain  int // readings in a row that did not find the address
	maps    []mapping
	former  []former
	changes uint64 // changes that left former mappings
	listed  int    // bytes of the last list of mappings that was read
	// pause and next are the time between regular readings of the mappings and of the next one, in
	// ns
	pause, next uint64
	number      uint16          // of its mappings, at the last sample
	moved       bool            // it was another one before, and the mappings were not read since
	brief, soon uint64          // pause and next where it has moved
	hidden      map[string]bool // files that it did not show, by key
	perfMap     perfMap
	mapped      bool // has a perf map, read or not
	dumps       []*dump
	moments     moments // moments of a process with dumps
	inner       uint32  // id in its own namespace; 0 unless it has a dump
	lived       bool
	loaded      bool
	searched    bool     // command line was searched for switches
	switches    []string // found on its command line
	java        java
	// name by which the program was started, and key of its file; set where it is not the file's
	// name
	name, key string
	asked     bool // name was looked for
}

type imageAddress struct {
	image Image
	addr  uint64
}

// NewResolver returns a resolver that knows only the code that the kernel maps into every process,
// which it reads in this one.
func NewResolver(source Source) *Resolver {
	r := &Resolver{
		source: source, files: map[string]*file{}, dumps: map[string]*dump{},
		processes: map[Image]*process{},
		cache:     map[imageAddress]Frame{}, problems: map[string]bool{},
		budget: newBudget(),
	}
	r.ownVDSO()
	return r
}

// Pause has f called now and then while a file or the kernel's symbols are read for names: reading
// can take a second, and f is called some hundred times in it. F may call Unwind, Chained and
// Replaced.
func (r *Resolver) Pause(f func()) { r.budget.pause = f }

// Close closes all open files. An address that has no name by then gets none.
func (r *Resolver) Close() error {
	var errs []error
	for _, f := range r.files {
		if f != nil {
			errs = append(errs, f.close())
		}
	}
	for _, d := range r.dumps {
		errs = append(errs, d.file.Close())
	}
	for _, p := range r.processes {
		p.java.close()
	}
	return errors.Join(errs...)
}

// Image sets the process id of an image. Only the first call for an image counts.
func (r *Resolver) Image(i Image, pid int) { r.process(i, pid) }

func (r *Resolver) process(i Image, pid int) *process {
	p := r.processes[i]
	if p == nil {
		p = &process{image: i, pid: pid, gone: i == noImage}
		r.processes[i] = p
	}
	return p
}

// Replaced marks an image whose process runs another program, or whose id is another process's. The
// image keeps what is known, and nothing is added.
func (r *Resolver) Replaced(i Image) {
	p := r.process(i, 0)
	if !p.gone {
		r.keepDumps(p)
	}
	p.gone = true
	p.java.close()
}

// Forget drops an image. The caller asks for none of its addresses again.
func (r *Resolver) Forget(i Image) {
	if p := r.processes[i]; p != nil {
		p.java.close()
		r.mappings -= len(p.maps) + len(p.former)
		delete(r.processes, i)
	}
}

// saw reads the mappings of a process while it lives, and reports whether it did. It is called with
// the addresses of each sample, the executed one first, and reads nothing while they lie in known
// mappings.
func (r *Resolver) saw(i Image, addrs []uint64) bool {
	p := r.process(i, 0)
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
			// Where code keeps no frame pointers the walk goes astray, and most such addresses are
			// no code. But a virtual machine also gets more memory for code.
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

// Ran has the mappings of a process read again, at most once, if they lack one of these addresses.
// The process itself reported that it ran code there.
func (r *Resolver) Ran(i Image, addrs []uint64) {
	r.Prepare(i)
	for _, a := range addrs {
		if r.saw(i, []uint64{a}) {
			return
		}
	}
}

// Prepare reads the mappings of a process of which none have been read.
func (r *Resolver) Prepare(i Image) {
	if p := r.process(i, 0); p.maps == nil && !p.lived && !p.gone {
		r.refresh(p)
	}
}

// maxInVain bounds the wait until a stack with an unknown return address has the mappings read
// again. After each reading in vain the wait doubles, up to 1<<maxInVain such stacks. An unknown
// address that is executed always has the mappings read.
const maxInVain = 6

func (p *process) knows(addr uint64) bool {
	_, ok := find(p.maps, addr)
	return ok
}

// maxKeptMappings bounds the mappings of code that are kept of all processes together.
const maxKeptMappings = 1 << 18

// refresh reads the mappings again, and opens files that are new, since they may be deleted before
// the end.
func (r *Resolver) refresh(p *process) {
	maps, listed, err := r.mapsOf(p.image)
	if err != nil || len(maps) == 0 {
		if !p.lived {
			r.short, r.shortLast = r.short+1, p.pid
			p.lived = true // it counts once
		}
		return
	}
	if r.mappings += len(maps) - len(p.maps); r.mappings > maxKeptMappings {
		r.mappings -= len(maps) - len(p.maps)
		r.problem(
			"the program's processes have mapped more than %d pieces of code: "+
				"the rest has no names",
			maxKeptMappings,
		)
		return
	}
	before := p.maps
	p.maps, p.lived, p.listed = maps, true, listed
	r.program(p)
	for i := range maps {
		m := &maps[i]
		if m.file = r.load(p, m); m.file != nil {
			// The texts of a file are kept once, and not for each image that is kept for its names.
			m.Path, m.inode = m.file.shown, m.file.inode
		}
		if m.module = p.called(m); m.file == nil && m.behind != nil {
			r.copied(p, m)
		}
		m.behind = nil
	}
	p.maps = slices.Clone(r.adopt(p, maps))
	r.mappings += p.change(before) - (len(maps) - len(p.maps))
	r.findSwitches(p)
	r.refreshJava(p)
}

// mapsOf returns a process's mappings of code, and the bytes of the list that has them.
func (r *Resolver) mapsOf(i Image) (maps []mapping, listed int, err error) {
	f, err := r.source.Maps(i)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	maps, listed, err = readMappings(f)
	if errors.Is(err, errTooMany) {
		r.problem("a process has more mappings of code than ebb keeps: the rest has no names")
		err = nil
	}
	return maps, listed, err
}

// SayEnded says once, in one line for all, that processes were too short-lived for their mappings
// to be read. It is called when no more are asked for.
func (r *Resolver) SayEnded() {
	switch {
	case r.short == 1:
		r.problem("process %d had ended before its mappings could be read: its code has no names",
			r.shortLast)
	case r.short > 1:
		r.problem("%d processes had ended before their mappings could be read, the last of them "+
			"%d: their code has no names", r.short, r.shortLast)
	}
	r.short = 0
}

func (r *Resolver) problem(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if !r.problems[s] && len(r.Problems) < 100 {
		r.problems[s] = true
		r.Problems = append(r.Problems, s)
	}
}

// maxFiles bounds the files that are kept open, and those that a process is asked for in vain.
const maxFiles = 1024

// load opens a mapped file, once. It returns nil for what is no ELF file that can be read. A file
// is known by its inode and its path, since another file can take its path. A process that is about
// to execute another program does not show its files; such a file is opened where another process
// shows it.
func (r *Resolver) load(p *process, m *mapping) *file {
	if !strings.HasPrefix(m.Path, "/") || strings.HasPrefix(m.Path, "/dev/") {
		return nil
	}
	key := m.key()
	if f, known := r.files[key]; known {
		return f
	}
	if p.hidden[key] || len(p.hidden) >= maxFiles {
		return nil
	}
	if len(r.files) >= maxFiles {
		r.problem(
			"the program has mapped more than %d files: there are no names of what is in others",
			maxFiles,
		)
		return nil
	}
	var f *file
	path := strings.TrimSuffix(m.Path, " (deleted)")
	d, err := r.source.Mapped(p.image, m.Start, m.End)
	switch {
	case err == nil && isDump(d, path):
		err = r.openDump(key, d, path)
	case err == nil && m.End-m.Start <= maxMarker && isEmpty(d):
		err = r.openEmpty(key, d, path)
	case err == nil:
		f, err = r.object(p, m, d)
	default:
		p.hides(key)
		if errors.Is(err, fs.ErrNotExist) { // the process shows nothing any more
			return nil
		}
		err = fmt.Errorf("read symbols of %s: %w", path, err)
	}
	// An assembly of .NET is no ELF file; its methods are in the runtime's perf map, if anywhere.
	if err != nil && !inMemory(m.Path) && !strings.HasSuffix(path, ".dll") {
		r.problem("%v", err)
	}
	if !p.hidden[key] {
		r.files[key] = f // nil when it cannot be read
	}
	return f
}

// Nameless is a file in which functions without names were asked for. Module is as in Frame.
type Nameless struct {
	Module, Path string
	BuildID      string // "" where it has none
	DebugFile    string // path at which its symbols would be found by its build id
	release
}

// Nameless returns the files with functions without names, in order of their paths.
func (r *Resolver) Nameless() (out []Nameless) {
	for _, f := range r.files {
		if f == nil {
			continue
		}
		for _, name := range f.nameless {
			n := Nameless{Module: name, Path: printable(f.path), BuildID: f.id,
				release: r.release(f.image)}
			if n.BuildID != "" {
				n.DebugFile = byBuildID(n.BuildID)
			}
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b Nameless) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Module, b.Module))
	})
	return out
}

// PerfMaps reads the perf maps and the jitdumps of these images' processes. It is called at the
// program's end, when they are written.
func (r *Resolver) PerfMaps(images []Image) {
	for _, i := range images {
		p := r.process(i, 0)
		r.readDumps(p)
		if p.loaded || p.gone {
			continue
		}
		t, skipped, err := r.perfMapOf(i)
		p.mapped = err == nil || !errors.Is(err, fs.ErrNotExist)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
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
			r.problem("perf map of process %d: lines without sense: %d", p.pid, skipped)
		}
	}
	clear(r.cache)
}

func (r *Resolver) perfMapOf(i Image) (t perfMap, skipped int, err error) {
	f, err := r.source.PerfMap(i)
	if err != nil {
		return perfMap{}, 0, err
	}
	defer f.Close()
	return parsePerfMap(f)
}
