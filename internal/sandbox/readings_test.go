//go:build !race

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadings: the child reads a log of several packets, and what is no log is an error that says
// so.
func TestReadings(t *testing.T) {
	const count, first = 10000, 1795000000
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, "%d,%d\n", first+i, i%50)
	}
	read := func(text string, from, to float64) (n int, last float64, err error) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "log.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		list, last, err := readings(t.Context(), f, from, to)
		for i, r := range list {
			if want := from + float64(i); r.At != want || r.Power != float64(int(want-first)%50) {
				t.Fatalf("reading %d: %+v", i, r)
			}
		}
		return len(list), last, err
	}
	for _, c := range []struct {
		from, to float64
		want     int
	}{{first, first + count, count}, {first + 9, first + 5008, 5000}, {first, first - 1, 0}} {
		n, last, err := read(text.String(), c.from, c.to)
		if n != c.want || last != first+count-1 || err != nil {
			t.Errorf("%+v: %d readings, the last at %v, %v", c, n, last, err)
		}
	}
	for text, want := range map[string]error{"": errFewReadings, "1,2\n": errFewReadings,
		"1,2\nx,y\n3,4\n": errLog, "\x00\xff\n\n\"\n": errFewReadings} {
		if n, _, err := read(text, 0, 10); !errors.Is(err, want) || n != 0 {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
}
