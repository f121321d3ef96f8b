package calls

import (
	"os"
	"path/filepath"
)

// The files that make functions makes: the shared library, and the agent for Java programs.
const (
	libraryName = "libebb-functions.so"
	agentName   = "ebb-functions.jar"
)

// Library returns the shared library's path: beside ebb's own file, or where packages put it. It is
// empty where there is none; programs that are linked with the library do without.
func Library() string { return installed(libraryName) }

// JavaAgent returns the path of the agent for Java programs: beside the library, or where Library
// looks; "" where it is not.
func JavaAgent(library string) string {
	if library != "" {
		if path := filepath.Join(filepath.Dir(library), agentName); isFile(path) {
			return path
		}
	}
	return installed(agentName)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func installed(name string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	dir := filepath.Dir(self)
	for _, path := range []string{
		filepath.Join(dir, name), filepath.Join(dir, "..", "lib", "ebb", name),
	} {
		if isFile(path) {
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
