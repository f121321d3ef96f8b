package symbols

import (
	"debug/elf"
	"encoding/hex"
	"os"
	"strings"
)

// copied gives memory of no file the file that its code was copied from. Programs copy their own
// code, as for huge pages, to the place where it lay: Node.js with --use-largepages, ClickHouse,
// and what BOLT has prepared. The memory begins where what is still mapped of the file ends.
func (r *Resolver) copied(p *process, m *mapping) {
	from := m.behind
	f, known := r.files[from.key()]
	if !known {
		f = r.beside(p, from)
	}
	if f == nil {
		return
	}
	if offset, ok := f.codeAt(from, m.Start, m.End); ok {
		m.file, m.Offset = f, offset
		m.Path, m.inode, m.module = f.shown, f.inode, p.called(from)
	}
}

// beside opens the file of a mapping that may have no code. It returns nil, and reports no problem,
// where it is no ELF file: memory that a virtual machine fills with code can begin where any file
// ends.
func (r *Resolver) beside(p *process, m *mapping) *file {
	key := m.key()
	if p.hidden[key] || len(p.hidden) >= maxFiles || len(r.files) >= maxFiles ||
		!strings.HasPrefix(m.Path, "/") {
		return nil
	}
	d, err := r.source.Mapped(p.image, m.Start, m.End)
	if err == nil {
		var f *file
		if f, err = r.object(p, m, d); err == nil {
			r.files[key] = f
			return f
		}
	}
	p.hides(key)
	return nil
}

// object opens the ELF file of a mapping, and closes d where it is none.
func (r *Resolver) object(p *process, m *mapping, d *os.File) (*file, error) {
	start, end := m.Start, m.End
	f, err := openELF(d, strings.TrimSuffix(m.Path, " (deleted)"),
		func(id, link string, nth int) (*os.File, error) {
			raw, _ := hex.DecodeString(id) // id is the hexadecimal form of bytes
			return r.source.Debug(p.image, start, end, raw, link, nth)
		})
	if err != nil {
		return nil, err
	}
	f.budget, f.image, f.shown, f.inode = r.budget, p.image, m.Path, m.inode
	return f, nil
}

// hides notes that a process did not show a file.
func (p *process) hides(key string) {
	if p.hidden == nil {
		p.hidden = map[string]bool{}
	}
	p.hidden[key] = true
}

// codeAt returns the offset in the file of the code that belongs at a range of a process's memory,
// by where a mapping of the file lies. It returns false unless the range lies within one segment of
// code.
func (f *file) codeAt(from *mapping, start, end uint64) (offset uint64, ok bool) {
	const page = 4096
	base, ok := f.page(from.Offset)
	if !ok {
		return 0, false
	}
	at := start - from.Start + base
	for i := range f.loads {
		s := &f.loads[i]
		lead := s.Vaddr % page // of the segment's first page
		first, last := s.Vaddr-lead, (s.Vaddr+s.Filesz+page-1)&^(page-1)
		if s.Flags&elf.PF_X != 0 && s.Off >= lead && last > first && at >= first && at < last &&
			end-start <= last-at {
			return s.Off - lead + (at - first), true
		}
	}
	return 0, false
}
