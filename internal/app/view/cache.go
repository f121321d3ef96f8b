package view

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// cacheDirectory returns the client's cache directory, by its own rules (debuginfod-find(1)).
func cacheDirectory() string {
	if dir := os.Getenv("DEBUGINFOD_CACHE_PATH"); dir != "" {
		return dir
	}
	home := cmp.Or(os.Getenv("HOME"), "/")
	old := filepath.Join(home, ".debuginfod_client_cache")
	if _, err := os.Stat(old); err == nil {
		return old
	}
	dir := cmp.Or(os.Getenv("XDG_CACHE_HOME"), filepath.Join(home, ".cache"))
	return filepath.Join(dir, "debuginfod_client")
}

// fetched is the state of the client's cache for a build id before it asks: whether the file is
// there, and which downloads have begun.
type fetched struct {
	directory string
	had       bool
	begun     map[string]bool
}

// file is the name of a file of symbols in the cache. The name of an unfinished download begins
// with it.
const file = "debuginfo"

func before(cache, id string) fetched {
	f := fetched{directory: filepath.Join(cache, id), begun: map[string]bool{}}
	if s, err := os.Stat(filepath.Join(f.directory, file)); err == nil {
		f.had = s.Size() > 0 // an empty file says that no server had it
	}
	for _, name := range f.coming() {
		f.begun[name] = true
	}
	return f
}

// coming returns the names of downloads that have not ended.
func (f *fetched) coming() (names []string) {
	list, err := os.ReadDir(f.directory)
	if err != nil {
		return nil // nothing was fetched yet
	}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), file+".") && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names
}

// came reports whether a client that was stopped, as at the limit of a file, had got something.
func (f *fetched) came() bool {
	return slices.ContainsFunc(f.coming(), func(name string) bool {
		s, err := os.Stat(filepath.Join(f.directory, name))
		return !f.begun[name] && err == nil && s.Size() > 0
	})
}

// clean removes the rest of a client that was stopped. A download that another client had begun
// stays.
func (f *fetched) clean() error {
	var failed error
	for _, name := range f.coming() {
		if f.begun[name] {
			continue
		}
		err := os.Remove(filepath.Join(f.directory, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("remove what %s left: %w", debuginfodClient, err)
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// room returns the number of bytes that may be fetched into a cache. No file is larger than
// maxFetched, all together are no more than left, and half of the free space stays free.
func room(cache string, left int64) (int64, error) {
	var s unix.Statfs_t
	err := unix.Statfs(cache, &s)
	for parent := cache; errors.Is(err, fs.ErrNotExist) && parent != filepath.Dir(parent); {
		parent = filepath.Dir(parent) // the client will create missing directories
		err = unix.Statfs(parent, &s)
	}
	if err != nil {
		return 0, fmt.Errorf("find out how much room there is in %s: %w", cache, err)
	}
	free := int64(min(s.Bavail, 1<<40)) * s.Bsize / 2
	return min(maxFetched, left, free), nil
}
