package live

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/internal/regular"
)

// ErrTooManyJVMs: a target has more runtimes than are followed.
var ErrTooManyJVMs = errors.New("too many JVMs")

// JVM is an opened libjvm.so, and the process that has it mapped: 0 for whichever will.
type JVM struct {
	File *os.File
	PID  int
}

// Collector finds where its garbage collector begins and ends its work. The error is one of
// usdt.FindCollector.
func (j JVM) Collector() (usdt.Collector, error) {
	info, err := j.File.Stat()
	if err != nil {
		return usdt.Collector{}, err
	}
	c, err := usdt.FindCollector(j.File, info.Size())
	if err != nil {
		return usdt.Collector{}, fmt.Errorf("%s: %w", j.File.Name(), err)
	}
	return c, nil
}

// Where a Java home has its runtime, the second up to Java 8. Nothing is searched: a directory can
// have any number of names.
var jvmPlaces = []string{"lib/server", "jre/lib/amd64/server"}

// JVMs opens the runtimes that a command may load: that of the command itself if it is a JVM's
// launcher, that of the java in the search path, which scripts use, and JAVA_HOME's. The error is
// that of the first that could not be opened; the others are returned beside it.
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
			case err == nil && !errors.Is(openErr, os.ErrNotExist) && !errors.Is(openErr, unix.ENOTDIR):
				err = openErr
			}
		}
	}
	return distinct(found), err
}

// OpenJVM opens a runtime by its path. Links are resolved once, before; the file that is opened is
// the one that is then at their end.
func OpenJVM(path string) (*os.File, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	return regular.Open(path)
}

// JVMsOf opens the runtimes that a process has mapped. The error is that of the first that could
// not be opened.
func JVMsOf(pid int) (found []JVM, err error) {
	maps, err := mapsOf(pid)
	if err != nil {
		return nil, err
	}
	ranges, all := usdt.Mappings(maps, usdt.JVMLibrary)
	for _, r := range ranges {
		f, openErr := regular.OpenMapping(pid, r.Start, r.End)
		switch {
		case openErr == nil:
			found = append(found, JVM{File: f, PID: pid})
		case err == nil && !errors.Is(openErr, os.ErrNotExist): // it has been unmapped
			err = openErr
		}
	}
	if !all && err == nil {
		err = fmt.Errorf("%w: more than %d files called %s are mapped", ErrTooManyJVMs, usdt.MaxMappings, usdt.JVMLibrary)
	}
	return distinct(found), err
}

// maxMaps bounds the text of a process's mappings: vm.max_map_count is 65,530, and a line with a
// usual path 100 bytes.
const maxMaps = 8 << 20

// mapsOf reads /proc/PID/maps as far as maxMaps.
func mapsOf(pid int) ([]byte, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxMaps))
}

// maxJVMs bounds how many processes of a cgroup have their collectors followed: each makes a hit of
// a breakpoint in any of them a little dearer.
const maxJVMs = 64

// JVMsOfAll opens the runtimes that these processes have mapped, of the first maxJVMs that have
// one. A process that has ended has none. The error is that of the first that could not be opened;
// the others are returned beside it.
func JVMsOfAll(pids []int) (found []JVM, err error) {
	for _, pid := range pids {
		of, ofErr := JVMsOf(pid)
		if ofErr != nil && err == nil && !errors.Is(ofErr, os.ErrNotExist) && !errors.Is(ofErr, unix.ESRCH) {
			err = fmt.Errorf("process %d: %w", pid, ofErr)
		}
		if found = append(found, of...); len(found) > maxJVMs {
			for _, j := range found[maxJVMs:] {
				j.File.Close()
			}
			return found[:maxJVMs], fmt.Errorf("%w: more than %d have one mapped", ErrTooManyJVMs, maxJVMs)
		}
	}
	return found, err
}

// distinct closes and drops files that are another one by another name.
func distinct(jvms []JVM) (out []JVM) {
	var known []os.FileInfo
	for _, j := range jvms {
		info, err := j.File.Stat()
		if err != nil || slices.ContainsFunc(known, func(k os.FileInfo) bool { return os.SameFile(k, info) }) {
			j.File.Close()
			continue
		}
		known = append(known, info)
		out = append(out, j)
	}
	return out
}
