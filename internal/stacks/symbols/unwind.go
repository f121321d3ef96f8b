package symbols

import (
	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// maxTables bounds the call frame information that is kept of all files together, in bytes. LLVM
// has 9 MB, HotSpot 2 MB, and a C library 0.2 MB.
const maxTables = 40 << 20

// Unwind finds the callers of the code that a thread of an image was running. It is called for each
// sample while the process lives, and reads the process's mappings when saw does. At is the time of
// the sample, in ns of CLOCK_MONOTONIC.
func (r *Resolver) Unwind(i Image, t *unwind.Thread, at uint64) unwind.Stack {
	p := r.process(i, 0)
	r.again(p, at)
	r.saw(i, t.Registers[16:])
	lookup := func(addr uint64) (unwind.Code, *unwind.Table, uint64) { return r.code(p, addr) }
	if p.java.due() {
		r.refreshJava(p)
	}
	t.Compiled = p.java.compiled()
	s := r.walker.Walk(t, lookup)
	if ip := t.Registers[16]; s.Astray != 0 && s.Astray != ip && r.saw(i, []uint64{ip, s.Astray}) {
		s = r.walker.Walk(t, lookup)
	}
	s.Frames = p.date(s.Frames, at)
	return s
}

// Chained completes a stack that was walked by frame pointers alone. It is called as Unwind is, and
// may change addrs.
func (r *Resolver) Chained(i Image, addrs []uint64, at uint64) []uint64 {
	p := r.process(i, 0)
	r.again(p, at)
	r.saw(i, addrs)
	if p.java.due() {
		r.refreshJava(p)
	}
	c := p.java.compiled()
	if c == nil {
		return p.date(addrs, at)
	}
	frames := make([]uint64, 0, len(addrs))
	for n, a := range addrs {
		pc := a
		if n > 0 {
			pc-- // in the call
		}
		frames = unwind.AppendMarked(frames, c, a, pc)
	}
	return p.date(frames, at)
}

// code returns the kind of code at an address of a process, and for described code its table and by
// how much addresses in the process exceed those in the file.
func (r *Resolver) code(p *process, addr uint64) (unwind.Code, *unwind.Table, uint64) {
	m, ok := find(p.maps, addr)
	if !ok && p.java.machine != nil && p.java.machine.Has(addr) {
		// since the mappings were read it has got more memory for code
		return unwind.Chained, nil, 0
	}
	if !ok {
		return unwind.Nothing, nil, 0
	}
	f, offset := m.file, addr-m.Start+m.Offset
	if m.Path == "[vdso]" {
		if v := r.ownVDSO(); m.End-m.Start == v.size {
			f, offset = v.functions, addr-m.Start
		}
	}
	if f == nil {
		return unwind.Chained, nil, 0 // what a virtual machine compiled
	}
	if f.frames == nil {
		f.frames = r.framesOf(f)
	}
	at, ok := f.address(offset)
	if !ok {
		return unwind.Chained, nil, 0
	}
	return unwind.Described, f.frames, addr - at
}

// framesOf reads a file's call frame information.
func (r *Resolver) framesOf(f *file) (t *unwind.Table) {
	defer func() {
		if p := recover(); p != nil { // debug/elf, of a file that lies
			r.problem("read the unwind tables of %s: %v", f.path, p)
			t = &unwind.Table{}
		}
	}()
	if r.tables+unwind.Need(f.elf) > maxTables {
		r.problem("the unwind tables of %s exceed the memory limit", f.path)
		return &unwind.Table{}
	}
	t = unwind.Read(f.elf)
	// of a section without an index more than it has
	if r.tables += t.Size(); r.tables > maxTables {
		r.tables -= t.Size()
		r.problem("the unwind tables of %s exceed the memory limit", f.path)
		return &unwind.Table{}
	}
	return t
}
