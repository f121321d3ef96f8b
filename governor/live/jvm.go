package live

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const jvmLibrary = "libjvm.so"

// JVMs finds the runtimes that a command may load: that of the command itself if it is a JVM's launcher, JAVA_HOME's and
// that of the java in the search path, which scripts use. It returns the paths of their libjvm.so.
func JVMs(command string) []string {
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
	var files []string
	for _, home := range homes {
		for _, pattern := range []string{"lib/server", "jre/lib/*/server"} { // the second up to Java 8
			found, _ := filepath.Glob(filepath.Join(home, pattern, jvmLibrary)) // it fails for malformed patterns only
			files = append(files, found...)
		}
	}
	return distinct(files)
}

// JVMsOf finds the runtimes that a process has mapped.
func JVMsOf(pid int) ([]string, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var files []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// Address, permissions, offset, device, inode, path (proc(5)); the path as the process sees it.
		if at := strings.IndexByte(lines.Text(), '/'); at >= 0 && filepath.Base(lines.Text()[at:]) == jvmLibrary {
			files = append(files, fmt.Sprintf("/proc/%d/root%s", pid, lines.Text()[at:]))
		}
	}
	return distinct(files), lines.Err()
}

// JVMsOfAll finds the runtimes that any of these processes has mapped. One that has ended has none.
func JVMsOfAll(pids []int) (files []string, err error) {
	for _, pid := range pids {
		of, err := JVMsOf(pid)
		if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, unix.ESRCH) {
			return nil, fmt.Errorf("process %d: %w", pid, err)
		}
		files = append(files, of...)
	}
	return distinct(files), nil
}

// distinct drops files that are another one by another name.
func distinct(files []string) (out []string) {
	var known []os.FileInfo
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || slices.ContainsFunc(known, func(k os.FileInfo) bool { return os.SameFile(k, info) }) {
			continue
		}
		known = append(known, info)
		out = append(out, file)
	}
	return out
}
