package live

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// JVM is an opened libjvm.so, with the process that has it mapped; 0: any process that will map it.
type JVM struct {
	File *os.File
	PID  int
}

// jvmPlaces lists where a Java home has its runtime; all but the first are of Java 8 and before.
// Nothing is searched for, since a directory can have any number of names.
var jvmPlaces = []string{"lib/server", "jre/lib/amd64/server", "jre/lib/aarch64/server"}

// JVMs opens the runtimes that a command may load: the command's own if it is a JVM's launcher, the
// one of the java in the search path, which scripts use, and the one in JAVA_HOME. Where some
// cannot be opened, the error says why the first could not, and the others are returned with it.
func JVMs(command string) (found []JVM, err error) {
	var homes []string
	for _, launcher := range []string{command, "java"} {
		if path, err := LookUp(launcher); err == nil {
			if path, err = filepath.EvalSymlinks(path); err == nil {
				homes = append(homes, filepath.Dir(filepath.Dir(path)))
			}
		}
	}
	if home := os.Getenv("JAVA_HOME"); home != "" {
		homes = append(homes, home)
	}
	for _, home := range homes {
		for _, place := range jvmPlaces {
			f, openErr := OpenJVM(filepath.Join(home, place, usdt.JVMLibrary))
			switch {
			case openErr == nil:
				found = append(found, JVM{File: f})
			case err == nil && !errors.Is(openErr, os.ErrNotExist) &&
				!errors.Is(openErr, unix.ENOTDIR):
				err = openErr
			}
		}
	}
	return distinct(found), err
}

// OpenJVM opens a runtime by its path. It resolves links once, and opens the file at their end.
func OpenJVM(path string) (*os.File, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	return safefile.OpenRegular(path)
}

// distinct closes and drops all but the first of several opened runtimes that are one file.
func distinct(jvms []JVM) (out []JVM) {
	var known []os.FileInfo
	for _, j := range jvms {
		info, err := j.File.Stat()
		if err != nil || slices.ContainsFunc(known,
			func(k os.FileInfo) bool { return os.SameFile(k, info) }) {
			j.File.Close()
			continue
		}
		known = append(known, info)
		out = append(out, j)
	}
	return out
}
