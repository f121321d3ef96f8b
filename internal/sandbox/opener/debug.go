package opener

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// debugDir is the directory into which distributions install the symbols that they strip from
// files.
const debugDir = "/usr/lib/debug"

// debug opens the nth file, of those that exist, that may have the symbols of a mapped file: first
// in the process's root, then in this process's own.
func (o *Opener) debug(m *image, r *protocol.Open) (*os.File, error) {
	if strings.ContainsAny(r.Link, "/\x00") || r.Link == "." || r.Link == ".." {
		return nil, fmt.Errorf("open symbols: %q is no file name", r.Link)
	}
	o.findRoot(m)
	from := m.of(stretch{r.Start, r.End})
	n := int(r.Nth)
	search := func(root int, by rights) (f *os.File, err error) {
		err = by.do(forFiles, func() (err error) {
			for _, place := range candidates(from.dir, hex.EncodeToString(r.BuildID), r.Link) {
				if f, err = regularBelow(root, place); err != nil {
					continue
				}
				if n == 0 {
					return nil
				}
				n--
				_ = f.Close() // it was asked for before
			}
			return fs.ErrNotExist
		})
		return f, err
	}
	if m.root != nil {
		if f, err := search(m.root.dir, from.rights); err == nil {
			return f, nil
		}
	}
	if !m.alike { // what its user may read among its own files is no right to this process's
		from.rights = everybodys
	}
	f, err := search(o.own, from.rights)
	if err != nil {
		return nil, fmt.Errorf("open symbols: %w", err)
	}
	return f, nil
}

// of returns where the file of a stretch lay, and the rights with which its symbols are looked for:
// those that the process had when the file was opened. Since then it may have become a program with
// other rights, for which it could have laid links. Then they are looked for as everybody may.
func (img *image) of(s stretch) lay {
	at, known := img.lays[s]
	if !known || at.rights.mixed {
		at.rights = everybodys
	} else if now, err := img.status(); err == nil && !now.rights.equal(at.rights) {
		at.rights = everybodys
	}
	return at
}

// candidates returns where the symbols of a file may be, in the order of GDB's manual ("Debugging
// Information in Separate Files").
func candidates(dir, id, link string) (out []string) {
	if len(id) > 2 {
		out = append(out, filepath.Join(debugDir, ".build-id", id[:2], id[2:]+".debug"))
	}
	if link != "" && filepath.IsAbs(dir) {
		out = append(out, filepath.Join(dir, link), filepath.Join(dir, ".debug", link),
			filepath.Join(debugDir, dir, link))
	}
	return out
}

// regularBelow opens a regular file below a root with the calling thread's rights. It is opened as
// a path first: what it is must be known before it is opened.
func regularBelow(root int, path string) (*os.File, error) {
	fd, err := openBelow(root, path, unix.O_PATH, 0)
	if err != nil {
		return nil, err
	}
	return safefile.Reopen(fd, path)
}
