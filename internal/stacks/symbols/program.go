package symbols

import (
	"bytes"
	"encoding/binary"
	"io"
	"path/filepath"
)

// Keys of the list that the kernel gives a program at its start (getauxval(3)).
const (
	auxEnd   = 0  // AT_NULL: the list ends
	auxEntry = 9  // AT_ENTRY: address at which its code is entered
	auxName  = 31 // AT_EXECFN: address of the path by which it was started
)

// Bounds of what is read to find a program's name, in bytes. The kernel's list has some 20 pairs.
const (
	maxAux      = 4 << 10
	maxPathName = 4 << 10
)

// auxiliary returns the values of auxEntry and auxName in such a list; 0 for one that it lacks.
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

// program finds out, once, by which name an image's program was started: /usr/bin/redis-server may
// be a link to redis-check-rdb. The file of a script is its interpreter, with the name by which the
// script calls it.
func (r *Resolver) program(p *process) {
	if p.asked {
		return
	}
	p.asked = true
	list, err := firstBytes(maxAux)(r.source.Auxiliary(p.image))
	if err != nil {
		return // the file's own name is used instead
	}
	entry, at := auxiliary(list)
	m, ok := find(p.maps, entry)
	if ok && m.behind != nil {
		m = m.behind // the program's code may have been copied
	}
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

// startedBy returns the path by which a program was started, as its memory has it at the call; ""
// where it cannot be read.
func (r *Resolver) startedBy(i Image, at int64) string {
	f, err := r.source.Memory(i)
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, maxPathName)
	n, _ := f.ReadAt(b, at) // the path may lie at the end of what is mapped
	path, _, ended := bytes.Cut(b[:n], []byte{0})
	if !ended {
		return ""
	}
	return string(path)
}

// firstArgument returns a process's argument 0, or "" where it cannot be read.
func (r *Resolver) firstArgument(i Image) string {
	b, err := firstBytes(maxPathName)(r.source.CommandLine(i))
	if err != nil {
		return ""
	}
	first, _, _ := bytes.Cut(b, []byte{0})
	return string(first)
}

// firstBytes returns a function that takes the results of opening a file, and reads at most so many
// bytes of it.
func firstBytes(most int64) func(f io.ReadCloser, err error) ([]byte, error) {
	return func(f io.ReadCloser, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, most))
	}
}

// called returns the name of a mapped file in an image.
func (p *process) called(m *mapping) string {
	if p.key != "" && p.key == m.key() {
		return p.name
	}
	return module(m.Path)
}
