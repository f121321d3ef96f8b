package functions

import (
	"os"
	"path/filepath"
)

// libraryName is the file of the shared library.
const libraryName = "libebb-functions.so"

// Library finds the shared library: beside ebb's own file, or where packages put it. It is empty
// where there is none; programs that are linked with the library do without.
func Library() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	dir := filepath.Dir(self)
	for _, path := range []string{
		filepath.Join(dir, libraryName), filepath.Join(dir, "..", "lib", "ebb", libraryName),
	} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// Preload adds a library to what LD_PRELOAD names (ld.so(8)).
func Preload(library, before string) string {
	if before == "" {
		return library
	}
	return library + ":" + before
}
