package stacks

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// threadsOf lists the threads of a process and of its descendants.
func threadsOf(pid int) ([]int, error) {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var threads []int
	for _, e := range entries {
		tid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		threads = append(threads, tid)
		children, err := os.ReadFile(filepath.Join(dir, e.Name(), "children"))
		if err != nil {
			continue // the thread has ended, or the kernel has no such list
		}
		for _, c := range strings.Fields(string(children)) {
			child, err := strconv.Atoi(c)
			if err != nil {
				continue
			}
			if more, err := threadsOf(child); err == nil {
				threads = append(threads, more...)
			}
		}
	}
	return threads, nil
}
