package symbolize

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// cacheDirectory is where the client keeps what it fetched, by its own rules (debuginfod-find(1)).
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

// fetched is what the client has in its cache for a build id before it asks: its file, and what
// downloads have begun.
type fetched struct {
	directory string
	had       bool
	begun     map[string]bool
}

// file is the name of a file of symbols in the cache, and the beginning of one that is coming.
const file = "debuginfo"

func before(cache, id string) fetched {
	f := fetched{directory: filepath.Join(cache, id), begun: map[string]bool{}}
	if s, err := os.Stat(filepath.Join(f.directory, file)); err == nil {
		f.had = s.Size() > 0 // an empty one says that no server had it
	}
	for _, name := range f.coming() {
		f.begun[name] = true
	}
	return f
}

// coming are the names of downloads that have not ended.
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

// clean removes what a client that was ended left. A download that another client had begun stays.
func (f *fetched) clean() error {
	var failed error
	for _, name := range f.coming() {
		if f.begun[name] {
			continue
		}
		err := os.Remove(filepath.Join(f.directory, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, fmt.Errorf("remove what %s left: %w", Client, err))
		}
	}
	return failed
}

// room is the number of bytes that may be fetched into a cache: no file is larger than maxFetched,
// all together are no more than left, and half of what is free stays free.
func room(cache string, left int64) (int64, error) {
	var s unix.Statfs_t
	err := unix.Statfs(cache, &s)
	for parent := cache; errors.Is(err, fs.ErrNotExist) && parent != filepath.Dir(parent); {
		parent = filepath.Dir(parent) // the client makes what is missing
		err = unix.Statfs(parent, &s)
	}
	if err != nil {
		return 0, fmt.Errorf("find out how much room there is in %s: %w", cache, err)
	}
	free := int64(min(s.Bavail, 1<<40)) * s.Bsize / 2
	return min(maxFetched, left, free), nil
}
