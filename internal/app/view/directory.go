package view

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// symbolDirectory finds files of symbols below a directory.
type symbolDirectory string

// candidates returns the possible places of a file's symbols below a directory: where packages of
// debug symbols install them, also if such a package was unpacked; where debuginfod's client keeps
// them; and where a build leaves them.
func candidates(f *unnamed) []string {
	id := f.BuildID
	apart := filepath.Join(id[:2], id[2:]+".debug")
	out := []string{filepath.Join(".build-id", apart),
		filepath.Join("usr", "lib", "debug", ".build-id", apart),
		filepath.Join("lib", "debug", ".build-id", apart), apart, filepath.Join(id, "debuginfo")}
	for _, name := range []string{f.Module, filepath.Base(f.Path)} {
		if filepath.IsLocal(name) && filepath.Base(name) == name && name != "." {
			out = append(out, name+".debug", name)
		}
	}
	return out
}

// Find opens the nth existing file.
func (d symbolDirectory) Find(_ context.Context, f *unnamed, nth int) (*os.File, error) {
	seen, found := map[string]bool{}, false
	var refused error // error of unreadable places, returned where no other place has the file
	for _, place := range candidates(f) {
		if seen[place] {
			continue
		}
		seen[place] = true
		path := filepath.Join(string(d), place)
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTDIR) {
				refused = errors.Join(refused, &fs.PathError{Op: "open", Path: path, Err: err})
			}
			continue
		}
		s, err := safefile.Reopen(fd, path)
		if err != nil {
			continue // a directory of that name
		}
		if found = true; nth == 0 {
			return s, nil
		}
		nth--
		_ = s.Close() // a lower n has returned it before
	}
	if refused != nil && !found {
		return nil, refused
	}
	return nil, fs.ErrNotExist
}
