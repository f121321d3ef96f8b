package symbols

import (
	"bytes"
	"encoding/binary"
	"io"
	"path/filepath"
)

// Of the list that the kernel gives a program at its start (getauxval(3)).
const (
	auxEnd   = 0  // AT_NULL: the list ends
	auxEntry = 9  // where its code is entered
	auxName  = 31 // where in its memory the path is that it was started by
)

// Bounds of what is read to find a program's name, in bytes. The kernel's list has some 20 pairs.
const (
	maxAux      = 4 << 10
	maxPathName = 4 << 10
)

// auxiliary finds the entry and the place of the path in such a list. Those that it lacks are 0.
func auxiliary(list []byte) (entry, path uint64) {
	const pair = 16
	for ; len(list) >= pair; list = list[pair:] {
		switch value := binary.LittleEndian.Uint64(list[8:]); binary.LittleEndian.Uint64(list) {
		case auxEntry:
			entry = value
		case auxName:
			path = value
		case auxEnd:
			return entry, path
		}
	}
	return entry, path
}

// program finds out what an image's program was started as, once: /usr/bin/redis-server may be a
// link to redis-check-rdb. The file of a script is its interpreter, whose name is that which the
// script has for it.
func (r *Resolver) program(p *process) {
	if p.asked {
		return
	}
	p.asked = true
	list, err := firstBytes(maxAux)(r.source.Auxiliary(p.image))
	if err != nil {
		return // its file has a name as well
	}
	entry, at := auxiliary(list)
	m, ok := find(p.maps, entry)
	if !ok || m.inode == "" || at == 0 || at > 1<<62 {
		return
	}
	for _, path := range []string{r.startedBy(p.image, int64(at)), r.firstArgument(p.image)} {
		name := filepath.Base(path)
		if path == "" || len(path) > maxPathName || name == "/" || name == "." || name == ".." {
			continue
		}
		if name == module(m.Path) {
			return
		}
		if r.source.Program(p.image, path) == nil {
			p.key, p.name = m.key(), printable(name)
			return
		}
	}
}

// startedBy is the path that a program was started by, as its memory has it now.
func (r *Resolver) startedBy(i Image, at int64) string {
	f, err := r.source.Memory(i)
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, maxPathName)
	n, _ := f.ReadAt(b, at) // it may lie at the end of what is mapped
	path, _, ended := bytes.Cut(b[:n], []byte{0})
	if !ended {
		return ""
	}
	return string(path)
}

// firstArgument is a process's first argument.
func (r *Resolver) firstArgument(i Image) string {
	b, err := firstBytes(maxPathName)(r.source.CommandLine(i))
	if err != nil {
		return ""
	}
	first, _, _ := bytes.Cut(b, []byte{0})
	return string(first)
}

// firstBytes reads the first so many bytes of a file that was opened.
func firstBytes(most int64) func(f io.ReadCloser, err error) ([]byte, error) {
	return func(f io.ReadCloser, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, most))
	}
}

// called is the name of a mapped file in an image.
func (p *process) called(m *mapping) string {
	if p.key != "" && p.key == m.key() {
		return p.name
	}
	return module(m.Path)
}
