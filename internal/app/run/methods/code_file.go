package methods

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// codeFileOf is a file whose functions are counted.
type codeFile struct {
	*os.File
	path  string // path by which it was found; empty: a running process's file
	info  os.FileInfo
	names []int // indexes in counter.list of its functions
}

// codeFileOf opens a file by its path, or the target's program.
func codeFileOf(r *part.Run, path string, argv []string) (*codeFile, error) {
	if path == "" && len(argv) == 0 {
		f, err := safefile.OpenProgram(r.Settings.Target.PID)
		if err != nil {
			return nil, err
		}
		return openedCode(f, "")
	}
	if path == "" {
		found, err := live.LookUp(argv[0])
		if err != nil {
			return nil, err
		}
		path = found
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	f, err := safefile.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	return openedCode(f, path)
}

func openedCode(f *os.File, path string) (*codeFile, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &codeFile{File: f, path: path, info: info}, nil
}

// unchanged returns an error if a file has been written to since it was opened.
func (f *codeFile) unchanged() error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	if now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime()) {
		return fmt.Errorf("%s changed while its functions were looked up", f.Name())
	}
	return nil
}

// replaced reports whether another file now has its path.
func (f *codeFile) replaced() bool {
	if f.path == "" {
		return false
	}
	now, err := os.Stat(f.path)
	return err != nil || !os.SameFile(now, f.info)
}
