package printable

import (
	"fmt"
	"strings"
)

// Count is so many of a thing, in words: "1 thread", "2 threads".
func Count[N int | int32 | int64 | uint64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	plural := "s"
	if strings.HasSuffix(thing, "s") { // as a process
		plural = "es"
	}
	return fmt.Sprintf("%d %s%s", n, thing, plural)
}
