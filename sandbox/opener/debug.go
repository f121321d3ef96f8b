package opener

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/regular"
	"github.com/ebb-energy/ebb/sandbox/protocol"
)

// debugDir is where distributions install the symbols that they strip from files.
const debugDir = "/usr/lib/debug"

// debug opens the nth file, of those that exist, that may have the symbols of a mapped file: first
// in the process's root, then in this process's own.
func (o *Opener) debug(m *image, r *protocol.Open) (*os.File, error) {
	if strings.ContainsAny(r.Link, "/\x00") || r.Link == "." || r.Link == ".." {
		return nil, fmt.Errorf("open symbols: %q is no file name", r.Link)
	}
	dir := ""
	if r.Link != "" {
		dir = m.dirs[stretch{r.Start, r.End}]
	}
	o.findRoot(m)
	n := 0
	for _, root := range []*os.Root{m.root, o.own} {
		if root == nil {
			continue
		}
		for _, place := range places(dir, hex.EncodeToString(r.BuildID), r.Link) {
			f, err := regularIn(root, place, m.owner)
			if err != nil {
				continue
			}
			if n == int(r.Nth) {
				return f, nil
			}
			n++
			_ = f.Close() // it was asked for before
		}
	}
	return nil, fmt.Errorf("open symbols: %w", fs.ErrNotExist)
}

// places is where the symbols of a file may be, in the order of GDB's manual ("Debugging
// Information in Separate Files").
func places(dir, id, link string) (out []string) {
	if len(id) > 2 {
		out = append(out, filepath.Join(debugDir, ".build-id", id[:2], id[2:]+".debug"))
	}
	if link != "" && filepath.IsAbs(dir) {
		out = append(out, filepath.Join(dir, link), filepath.Join(dir, ".debug", link),
			filepath.Join(debugDir, dir, link))
	}
	return out
}

// maxLinks bounds the length of a chain of links.
const maxLinks = 8

// regularIn opens a regular file below a root. The root's owner chose its files, so no link may
// lead out of the root. A link is opened as a link and followed here: its target may be anything,
// and must be checked before it is opened. The owner may lack the right to read the target, so the
// file must belong to the owner or be readable by everybody.
func regularIn(root *os.Root, path string, owner uint32) (*os.File, error) {
	for range maxLinks {
		path = strings.TrimLeft(path, "/")
		p, err := root.OpenFile(path, unix.O_PATH, 0)
		if err != nil {
			return nil, err
		}
		var st unix.Stat_t
		err = unix.Fstat(int(p.Fd()), &st)
		if err == nil && st.Mode&unix.S_IFMT != unix.S_IFLNK {
			return readable(p, &st, owner)
		}
		if err = errors.Join(err, p.Close()); err != nil {
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
		target, err := root.Readlink(path)
		if err != nil {
			return nil, err
		}
		if !filepath.IsAbs(target) { // an absolute one begins at the same root
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return nil, fmt.Errorf("open %s: %w", path, unix.ELOOP)
}

// readable opens a file for reading that was opened as a path, if the owner may read it. It closes
// the path's descriptor.
func readable(path *os.File, st *unix.Stat_t, owner uint32) (*os.File, error) {
	defer path.Close()
	const readByAll = 0o004
	if st.Uid != owner && st.Mode&readByAll == 0 {
		return nil, fmt.Errorf("open %s: the process's user may not read it", path.Name())
	}
	fd, err := unix.FcntlInt(path.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return regular.Reopen(fd, path.Name())
}

// maxRoots bounds the roots of processes that are kept open.
const maxRoots = 64

// findRoot opens a process's root while the process lives, unless it is this process's own. It
// stays open, so that files are found in it after the process's end.
func (o *Opener) findRoot(m *image) {
	if o.own == nil {
		o.own, _ = os.OpenRoot("/")
	}
	if m.rooted {
		return
	}
	m.rooted = true
	root, err := os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d/root", m.dir))
	if err != nil {
		return
	}
	if o.roots >= maxRoots || sameRoot(root, o.own) {
		_ = root.Close()
		return
	}
	m.root = root
	o.roots++
}

func sameRoot(a, b *os.Root) bool {
	if a == nil || b == nil {
		return false
	}
	x, err1 := a.Stat(".")
	y, err2 := b.Stat(".")
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
