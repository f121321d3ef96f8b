package symbols

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ebb-energy/ebb/energy/unwind"
)

// Resolver names addresses of processes. It is for one goroutine.
type Resolver struct {
	files     map[string]*file // by path as its process sees it; nil where it can not be read
	processes []*process       // by image
	kernel    table
	haveK     bool
	vdso      *vdso
	cache     map[place]Frame
	walker    unwind.Walker
	tables    int      // bytes of call frame information
	Problems  []string // what could not be read, each once
	problems  map[string]bool
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
	perfMap table
	root    string // where its files are seen from here, while it lives
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
	return &Resolver{
		files: map[string]*file{}, processes: []*process{{gone: true}}, cache: map[place]Frame{}, problems: map[string]bool{},
	}
}

// Image is a new image of a process, of which nothing is known yet.
func (r *Resolver) Image(pid int) Image {
	r.processes = append(r.processes, &process{pid: pid, root: fmt.Sprintf("/proc/%d/root", pid)})
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
			r.problem("process %d had ended before its mappings could be read", p.pid)
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
	for i := range maps {
		r.load(p, &maps[i])
		maps[i].file = r.files[maps[i].Path]
	}
	r.refreshJava(p)
}

func (r *Resolver) problem(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if !r.problems[s] && len(r.Problems) < 100 {
		r.problems[s] = true
		r.Problems = append(r.Problems, s)
	}
}

// load reads a mapped file once. One that has been deleted is still to be had by its mapping.
func (r *Resolver) load(p *process, m *Mapping) {
	if !strings.HasPrefix(m.Path, "/") || strings.HasPrefix(m.Path, "/dev/") {
		return
	}
	if _, known := r.files[m.Path]; known {
		return
	}
	path := p.root + m.Path
	if strings.HasSuffix(m.Path, " (deleted)") {
		path = fmt.Sprintf("/proc/%d/map_files/%x-%x", p.pid, m.Start, m.End)
	}
	f, err := openELF(path, p.root, "")
	if err != nil && !strings.HasPrefix(m.Path, "/memfd:") {
		r.problem("%v", err)
	}
	r.files[m.Path] = f // nil when it can not be read
}

// PerfMaps reads the perf maps of all processes that were seen, from dir, usually /tmp as the process sees it. It is called
// when the program has written them: at its end.
func (r *Resolver) PerfMaps(dir string) {
	for _, p := range r.processes {
		if p.loaded || p.gone {
			continue
		}
		t, skipped, err := readPerfMap(filepath.Join(dir, fmt.Sprintf("perf-%d.map", p.pid)), p.owner)
		if err != nil {
			if !os.IsNotExist(unwrapAll(err)) {
				r.problem("%v", err)
			}
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
