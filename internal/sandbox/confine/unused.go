package confine

import (
	"fmt"
	"os"
	"syscall"
)

// Bounds of the users that systemd gives to services without a user of their own, none for long
// (systemd.exec(5), DynamicUser=).
const (
	firstUnused = 61184
	lastUnused  = 65519
)

// Unused returns the number of a user who has no process. A process of that user cannot be stopped
// or signalled by another service's, as one of nobody's can. It returns nobody where the machine's
// processes cannot be seen, and where this process could not become another user.
func Unused() int {
	if text, err := os.ReadFile("/proc/self/uid_map"); err != nil || !mapsAll(string(text)) {
		return nobody
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nobody
	}
	used := map[uint32]bool{}
	for _, e := range entries {
		if name := e.Name(); name[0] >= '0' && name[0] <= '9' {
			if i, err := os.Stat("/proc/" + name); err == nil { // else it has ended
				used[i.Sys().(*syscall.Stat_t).Uid] = true
			}
		}
	}
	return free(os.Getpid(), used)
}

// free returns the first unused user from a place in the range on, round the range's end; nobody if
// all are used.
func free(from int, used map[uint32]bool) int {
	const all = lastUnused - firstUnused + 1
	for i := range all {
		if n := firstUnused + (from+i)%all; !used[uint32(n)] {
			return n
		}
	}
	return nobody
}

// mapsAll reports whether a map of users (user_namespaces(7)) is the machine's own.
func mapsAll(text string) bool {
	var first, own, length uint32
	n, err := fmt.Sscan(text, &first, &own, &length)
	return err == nil && n == 3 && first == 0 && own == 0 && length == 1<<32-1
}
