package symbols

// Code is a file's code in a process, from Start to End. Addr is Start in the file's own
// numbering.
//
// Code with Made set was made by a Java virtual machine and has no file. That of a method has the
// method's class, its name as Function, and its signature.
type Code struct {
	Start, End, Addr uint64
	BuildID          string // "" where the file has none
	Module           string
	Function         string // "" for a whole mapping, and for made code of no method
	Made             bool
	Class, Signature string
}

// Mapped returns the mappings of code of an image whose files could be read, at most so many.
func (r *Resolver) Mapped(i Image, most int) (list []Code) {
	p := r.process(i, 0)
	for k := range p.maps {
		m := &p.maps[k]
		if m.file == nil || len(list) >= most {
			continue
		}
		if addr, ok := m.file.page(m.Offset); ok {
			list = append(list, Code{Start: m.Start, End: m.End, Addr: addr,
				BuildID: m.file.buildID(), Module: module(m.Path)})
		}
	}
	return list
}

// Function returns the function of a file that an address lies in.
func (r *Resolver) Function(i Image, addr uint64) (Code, bool) {
	m, ok := find(r.process(i, 0).maps, addr)
	if !ok || m.file == nil {
		return Code{}, false
	}
	at, ok := m.file.address(addr - m.Start + m.Offset)
	if !ok {
		return Code{}, false
	}
	s, ok := m.file.find(addr - m.Start + m.Offset)
	for _, problem := range m.file.problems {
		r.problem("%s", problem)
	}
	if !ok || at < s.start || s.end <= at {
		return Code{}, false
	}
	name := module(m.Path)
	return Code{Start: addr - (at - s.start), End: addr + (s.end - at), Addr: s.start,
		BuildID: m.file.buildID(), Module: name, Function: native(s.symbol, name).Name}, true
}

// buildID returns the file's build id in hexadecimal; "" where it has none.
func (f *file) buildID() string {
	if f.id == "" && !f.read {
		f.id = buildID(f.elf)
	}
	return f.id
}

// page returns the address, in the file's own numbering, of the offset at which a mapping begins.
// That is the begin of a page, which may lie before the begin of the segment in it.
func (f *file) page(offset uint64) (addr uint64, ok bool) {
	const page = 4096
	if addr, ok = f.address(offset); ok {
		return addr, true
	}
	for i := range f.loads {
		p := &f.loads[i]
		if p.Off&^(page-1) == offset && p.Vaddr >= p.Off-offset {
			return p.Vaddr - (p.Off - offset), true
		}
	}
	return 0, false
}
