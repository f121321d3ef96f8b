package names

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func idOf(n int) string { return fmt.Sprintf("%012x", n) + strings.Repeat("0", fullID-ShortID) }

func TestShort(t *testing.T) {
	whole := idOf(0xabc)
	for _, c := range []struct {
		id, want string
	}{
		{whole, "000000000abc"}, {whole[1:], ""}, {whole + "0", ""}, {"", ""},
		{strings.ToUpper(whole), ""}, {whole[1:] + "g", ""},
	} {
		if got, ok := Short(c.id); got != c.want || ok != (c.want != "") {
			t.Errorf("%q: %q, %v", c.id, got, ok)
		}
	}
}

// TestTableIsBounded: of more containers than a table holds, the latest are known.
func TestTableIsBounded(t *testing.T) {
	var table Table
	table.Put("no id", Container{Pod: "x"})
	for n := range 3 * mostContainers {
		table.Put(idOf(n), Container{Pod: fmt.Sprint(n)})
		table.Put(idOf(7), Container{Pod: "lives"})
		if len(table.known) > mostContainers {
			t.Fatalf("%d containers", len(table.known))
		}
	}
	last := 3*mostContainers - 1
	if c, ok := table.Of(idOf(last)[:ShortID]); !ok || c.Pod != fmt.Sprint(last) {
		t.Errorf("the last: %v, %v", c, ok)
	}
	if c, ok := table.Of(idOf(7)[:ShortID]); !ok || c.Pod != "lives" {
		t.Errorf("one that is put again and again: %v, %v", c, ok)
	}
	if _, ok := table.Of(idOf(8)[:ShortID]); ok {
		t.Error("the oldest is known")
	}
}

// FuzzBounded: each name is one printable line of a bounded length; what is one already stays.
func FuzzBounded(f *testing.F) {
	f.Add("web-7d4b9c")
	f.Add("a\x1b[2J\n\xff\u202e")
	f.Add(strings.Repeat("ü", 2000))
	f.Fuzz(func(t *testing.T, name string) {
		got := bounded(name)
		if len(got) > mostName || !utf8.ValidString(got) ||
			strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("%q: %q", name, got)
		}
		if len(name) <= mostName && utf8.ValidString(name) &&
			!strings.ContainsFunc(name, unprintable) && got != name {
			t.Fatalf("%q became %q", name, got)
		}
	})
}

// TestLongNames: names of 4 KB that differ at the end stay apart.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("x", 4095)
	if a, b := bounded(long+"a"), bounded(long+"b"); a == b || len(a) > mostName {
		t.Errorf("%q and %q", a, b)
	}
}
