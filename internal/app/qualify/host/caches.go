package host

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Bounds of the memory of a program whose data no cache must hold, in bytes: powers of two.
const (
	leastChase, leastStream = 16 << 20, 128 << 20
	mostMemory              = 1 << 30
	unknownCache            = 16 << 20
	timesCache              = 4 // keeps the part of lines that the cache holds to a quarter at most
	// partOfMemory is the part of a machine's memory that such a program takes at most. A guest can
	// be shown the caches of a host that has a hundred times its memory.
	partOfMemory = 4
)

// beyondCaches returns a size of memory that the caches of this machine do not hold: a power of
// two.
func beyondCaches(least int) int {
	var s unix.Sysinfo_t
	memory := uint64(mostMemory)
	if err := unix.Sysinfo(&s); err == nil {
		memory = uint64(s.Totalram) * uint64(max(s.Unit, 1))
	}
	return around(largestCache("/sys"), least, memory)
}

// around returns least, or more for a larger cache as far as the memory allows it.
func around(cache, least int, memory uint64) int {
	n := least
	for n < timesCache*cache && n < mostMemory && 2*uint64(n) <= memory/partOfMemory {
		n *= 2
	}
	return n
}

// largestCache returns the size of the largest cache of the first CPU, in bytes.
func largestCache(root string) int {
	most := 0
	for i := range 8 {
		text, err := os.ReadFile(fmt.Sprintf("%s/devices/system/cpu/cpu0/cache/index%d/size", root,
			i))
		var kib int
		if err != nil {
			continue
		}
		if _, err := fmt.Sscanf(strings.TrimSpace(string(text)), "%dK", &kib); err == nil &&
			kib > 0 && kib <= mostMemory>>10 {
			most = max(most, kib<<10)
		}
	}
	if most == 0 {
		return unknownCache
	}
	return most
}
