package printable

import "fmt"

// Count is so many of a thing, in words: "1 thread", "2 threads".
func Count[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
