package symbols

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Resolver names addresses of processes. It is for one goroutine.
type Resolver struct {
	files     map[string]*file // by path as its process sees it; nil where it can not be read
	processes map[int]*process
	kernel    table
	haveK     bool
	cache     map[place]Frame
	Problems  []string // what could not be read, each once
	problems  map[string]bool
}

// process is what is known of a process.
type process struct {
	maps    []Mapping
	perfMap table
	root    string // where its files are seen from here, while it lives
	owner   uint32
	lived   bool
	loaded  bool
}

type place struct {
	pid  int
	addr uint64
}

// NewResolver knows nothing yet.
func NewResolver() *Resolver {
	return &Resolver{
		files: map[string]*file{}, processes: map[int]*process{}, cache: map[place]Frame{}, problems: map[string]bool{},
	}
}

// Saw reads the mappings of a process while it lives. It is called for every sample's process with one of its addresses,
// and does nothing when that lies in a mapping that is known.
func (r *Resolver) Saw(pid int, addrs []uint64) {
	p := r.processes[pid]
	if p == nil {
		p = &process{root: fmt.Sprintf("/proc/%d/root", pid)}
		r.processes[pid] = p
		r.refresh(pid, p)
		return
	}
	for _, a := range addrs {
		if _, ok := find(p.maps, a); !ok {
			r.refresh(pid, p)
			return
		}
	}
}

// refresh reads the mappings again, and the symbols of files that are new, which may be deleted before the end.
func (r *Resolver) refresh(pid int, p *process) {
	maps, err := ReadMaps(pid)
	if err != nil || len(maps) == 0 {
		if !p.lived {
			r.problem("process %d had ended before its mappings could be read", pid)
			p.lived = true // say it once
		}
		return
	}
	p.maps, p.lived = maps, true
	if info, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			p.owner = stat.Uid
		}
	}
	for i := range maps {
		r.load(pid, p, &maps[i])
	}
}

func (r *Resolver) problem(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if !r.problems[s] && len(r.Problems) < 100 {
		r.problems[s] = true
		r.Problems = append(r.Problems, s)
	}
}

// load reads a mapped file once. One that has been deleted is still to be had by its mapping.
func (r *Resolver) load(pid int, p *process, m *Mapping) {
	if !strings.HasPrefix(m.Path, "/") || strings.HasPrefix(m.Path, "/dev/") {
		return
	}
	if _, known := r.files[m.Path]; known {
		return
	}
	path := p.root + m.Path
	if strings.HasSuffix(m.Path, " (deleted)") {
		path = fmt.Sprintf("/proc/%d/map_files/%x-%x", pid, m.Start, m.End)
	}
	f, err := openELF(path)
	if err != nil && !strings.HasPrefix(m.Path, "/memfd:") {
		r.problem("%v", err)
	}
	r.files[m.Path] = f // nil when it can not be read
}

// PerfMaps reads the perf maps of all processes that were seen, from dir, usually /tmp as the process sees it. It is called
// when the program has written them: at its end.
func (r *Resolver) PerfMaps(dir string) {
	for pid, p := range r.processes {
		if p.loaded {
			continue
		}
		t, skipped, err := readPerfMap(filepath.Join(dir, fmt.Sprintf("perf-%d.map", pid)), p.owner)
		if err != nil {
			if !os.IsNotExist(unwrapAll(err)) {
				r.problem("%v", err)
			}
			continue
		}
		p.loaded, p.perfMap = true, t
		if skipped > 0 {
			r.problem("perf map of process %d: %d lines make no sense", pid, skipped)
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

// User names an address of a process. Of a return address the instruction before it counts.
func (r *Resolver) User(pid int, addr uint64, isReturn bool) Frame {
	if isReturn && addr > 0 {
		addr--
	}
	k := place{pid, addr}
	if f, ok := r.cache[k]; ok {
		return f
	}
	f := r.user(pid, addr)
	r.cache[k] = f
	return f
}

func (r *Resolver) user(pid int, addr uint64) Frame {
	p := r.processes[pid]
	if p == nil {
		return Frame{Name: "[unknown]"}
	}
	if name, ok := p.perfMap.find(addr); ok {
		return Frame{Name: name, Module: "[jit]", Kind: JIT}
	}
	m, ok := find(p.maps, addr)
	if !ok {
		return Frame{Name: "[unknown]"}
	}
	if !strings.HasPrefix(m.Path, "/") || strings.HasPrefix(m.Path, "//anon") {
		if m.Path == "[vdso]" {
			return Frame{Name: "[vdso]", Module: "[vdso]", Kind: Native}
		}
		return Frame{Name: "[anonymous]"}
	}
	module := filepath.Base(strings.TrimSuffix(m.Path, " (deleted)"))
	if f := r.files[m.Path]; f != nil {
		if name, ok := f.find(addr - m.Start + m.Offset); ok {
			return Frame{Name: name, Module: module, Kind: Native}
		}
	}
	return Frame{Name: "[" + module + "]", Module: module}
}

// Kernel names an address of the kernel.
func (r *Resolver) Kernel(addr uint64) Frame {
	if !r.haveK {
		r.haveK = true
		t, err := readKernel("/proc/kallsyms")
		if err != nil {
			r.problem("%v", err)
		}
		r.kernel = t
	}
	if name, ok := r.kernel.find(addr); ok {
		return Frame{Name: name, Module: "[kernel]", Kind: Kernel}
	}
	return Frame{Name: "[kernel]", Module: "[kernel]", Kind: Kernel}
}
