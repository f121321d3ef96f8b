package child

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/instrumented"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]instrumented.Mark{
		"begin warm":            {Name: "warm"},
		"end warm 123":          {Name: "warm", End: true, At: 123},
		"  begin \t a/b:c  77 ": {Name: "a/b:c", At: 77},
		"begin größe":           {Name: "größe"},
	} {
		if got, err := parseMark([]byte(line)); err != nil || got != want {
			t.Errorf("%q: %+v, %v", line, got, err)
		}
	}
	for _, line := range []string{"", "begin", "stop x", "begin x y", "begin x 1 2", "begin x -1",
		"begin x 0", "begin x 99999999999999999999", "begin a#1", "begin a\x00b", "begin \xff",
		"begin " + strings.Repeat("n", instrumented.MaxRegionName+1), strings.Repeat(" ", 200) +
			"begin x",
		"begin \u202ename"} {
		m, err := parseMark([]byte(line))
		if !errors.Is(err, errNoMark) && !errors.Is(err, instrumented.ErrRegionName) {
			t.Errorf("%q: %+v, %v", line, m, err)
		}
	}
}

// TestScan: pieces end anywhere; a line that is too long is one bad line, whatever its pieces.
func TestScan(t *testing.T) {
	text := "begin a 5\nnonsense\n" + strings.Repeat("x", 10*instrumented.MaxMark) +
		"\nend a 9\nbegin b"
	for size := 1; size < len(text); size++ {
		var s scanner
		var got []instrumented.Mark
		bad := 0
		for i := 0; i < len(text); i += size {
			bad += s.scan([]byte(text[i:min(i+size, len(text))]),
				func(m instrumented.Mark) { got = append(got, m) })
		}
		bad += s.scan([]byte("\n"), func(m instrumented.Mark) { got = append(got, m) })
		want := []instrumented.Mark{{Name: "a", At: 5}, {Name: "a", End: true, At: 9}, {Name: "b"}}
		if !reflect.DeepEqual(got, want) || bad != 2 {
			t.Fatalf("in pieces of %d: %+v, %d bad", size, got, bad)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("begin a\nend a 12\n"), 3)
	f.Add([]byte("begin \xff\n\n\nend"), 1)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		var s scanner
		var pieces, whole []instrumented.Mark
		size = max(size, 1)
		for i := 0; i < len(text); i += size {
			s.scan(text[i:min(i+size, len(text))],
				func(m instrumented.Mark) { pieces = append(pieces, m) })
			if len(s.rest) > instrumented.MaxMark {
				t.Fatalf("%d bytes are kept", len(s.rest))
			}
		}
		var one scanner
		one.scan(text, func(m instrumented.Mark) { whole = append(whole, m) })
		if !reflect.DeepEqual(pieces, whole) {
			t.Errorf("in pieces %+v, at once %+v", pieces, whole)
		}
		for _, m := range whole {
			again, err := parseMark([]byte(strings.TrimSuffix(m.Line(), "\n")))
			if err != nil || again != m || m.At < 0 {
				t.Errorf("%+v is written as %q: %+v, %v", m, m.Line(), again, err)
			}
		}
		r := instrumented.NewRegions()
		for _, m := range whole {
			if s := r.Take(m, instrumented.Iterations); s < 0 || s >= len(r.Sections()) {
				t.Errorf("section %d of %d", s, len(r.Sections()))
			}
		}
	})
}
