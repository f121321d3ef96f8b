package symbols

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// maxCached bounds the frames that are kept for repeated queries.
const maxCached = 1 << 14

// User returns the frame of an address of an image, or of a mark. For a return address the
// instruction before it counts.
func (r *Resolver) User(i Image, addr uint64, isReturn bool) Frame {
	if addr&unwind.Marked != 0 {
		return r.process(i, 0).java.frame(addr)
	}
	if isReturn && addr > 0 {
		addr--
	}
	k := imageAddress{i, addr}
	if f, ok := r.cache[k]; ok {
		return f
	}
	f := r.user(r.process(i, 0), addr)
	if len(r.cache) >= maxCached {
		clear(r.cache)
	}
	r.cache[k] = f
	return f
}

func (r *Resolver) user(p *process, addr uint64) Frame {
	date := p.undated(addr)
	addr = date.addr
	if date.changes > p.changes { // of a resolver that is no more
		return Frame{Name: "[unknown]"}
	}
	m, ok := find(p.maps, addr)
	if before := p.at(addr, date.changes); before != nil {
		m, ok = before, true
	}
	var functions *file
	if ok {
		functions = m.file
	}
	// A file can have come to the place of made code before or after.
	if (functions == nil || date.made) && (!ok || m.Path != "[vdso]") {
		if name, ok := p.inDumps(addr, date.time); ok && managed(addr) {
			return FrameOf(name, false)
		} else if ok {
			return Frame{Name: name, Module: "[jit]", Kind: kindJIT}
		}
		// A perf map names code only where a virtual machine can have made it, since the map may
		// lie.
		if name, has := p.perfMap.find(addr); has && (ok && m.made() || !ok && p.maps != nil) {
			return Frame{Name: name, Module: "[jit]", Kind: kindJIT}
		}
	}
	if !ok {
		return Frame{Name: "[unknown]"}
	}
	if !strings.HasPrefix(m.Path, "/") || functions == nil && inMemory(m.Path) {
		if m.Path == "[vdso]" {
			return r.inVDSO(m, addr)
		}
		return Frame{Name: "[anonymous]"}
	}
	name := m.module
	if functions == nil {
		return Frame{Name: "[" + name + "]", Module: name}
	}
	s, ok := functions.find(addr - m.Start + m.Offset)
	for _, problem := range functions.problems {
		r.problem("%s", problem)
	}
	out := functions.waits(s.frame(ok, name), s.addr)
	if out.Kind == kindNative {
		return out
	}
	functions.isNameless(name)
	out.unnamedCode = unnamedCode{BuildID: functions.id, Addr: s.addr, Near: s.near}
	if ok && out.Kind == kindBegin {
		out.Addr = s.entry
	}
	return out
}

// made reports whether a virtual machine may have made the code of a mapping that is no object
// file's: it has no file, or one in memory, a deleted one or an assembly of .NET. The code of any
// other file is that file's, also where it could not be opened.
func (m *mapping) made() bool {
	return !strings.HasPrefix(m.Path, "/") || inMemory(m.Path) ||
		strings.HasSuffix(m.Path, " (deleted)") || strings.HasSuffix(m.Path, ".dll")
}

// managed reports whether an address is one that a Java program's agent made up for a method: no
// code lies in that half of the addresses. A method at such an address gets the same frame as in
// samples.
func managed(addr uint64) bool { return addr&^addressMask == 0 && addr>>(momentShift-1) == 1 }

// module returns a mapped file's name without its directory.
func module(path string) string { return filepath.Base(strings.TrimSuffix(path, " (deleted)")) }

// native returns the frame of a function of a file. Names are written out here, and not when a file
// is read, since few functions of a library are ever seen. A guessed symbol's name ends in
// orBehind.
func native(s symbol, module string) Frame {
	if s.entry != 0 {
		return Frame{Name: fmt.Sprintf("%s+0x%x", module, s.entry), Module: module, Kind: kindBegin}
	}
	function, stub := strings.CutSuffix(s.name, pltMark)
	name := printable(demangled(function))
	if stub {
		name += pltMark
	}
	if s.guessed {
		name += orBehind
	}
	return Frame{Name: name, Module: module, Kind: kindNative}
}

// orBehind follows a name whose symbol has no size: the code may belong to another function, which
// has no symbol.
const orBehind = " (or behind it)"

// Kernel returns the frame of an address of the kernel.
func (r *Resolver) Kernel(addr uint64) Frame {
	if !r.haveK {
		r.haveK = true
		f, err := r.source.KernelSymbols()
		if err == nil {
			r.kernel, err = parseKernel(f, r.budget)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			r.problem("read the kernel's symbols: %v", err)
		}
	}
	if name, ok := r.kernel.find(addr); ok {
		return Frame{Name: name, Module: "[kernel]", Kind: kindKernel}
	}
	return Frame{Name: "[kernel]", Module: "[kernel]"}
}
