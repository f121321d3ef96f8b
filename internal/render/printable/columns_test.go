package printable

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func table() *Table {
	t := &Table{Name: "method", Columns: []Column{{"energy", 3}, {"share", 2}, {"samples", 1}}}
	t.Row("a.rather.long.name.of.a.method", "12.5 J", "51.4%", "1109")
	t.Row("a\u202eb\n表", "0.5 J", "2.1%", "7")
	t.Row("more", "0.1 J")
	return t
}

// TestNarrow: the end stays of what a package or a directory has in common with others.
func TestNarrow(t *testing.T) {
	for _, c := range [][2]string{{"org.example.Codec.<init>", "…dec.<init>"},
		{"/usr/lib/liblong.so", "…liblong.so"},
		{"std::vector<int>::push", "std::vect…"}, {"main.(*Reader).next", "main.(*Re…"},
		{"nodotsatallinit", "nodotsata…"}, {"a.b", "a.b"}} {
		most := utf8.RuneCountInString(c[1])
		if got := narrow(c[0], most); got != c[1] {
			t.Errorf("%s: %q, want %q", c[0], got, c[1])
		}
	}
	if got := narrow("a.b", 1); got != "…" {
		t.Errorf("%q in one character", got)
	}
}

func TestTable(t *testing.T) {
	const (
		all = `method                          energy  share  samples
a.rather.long.name.of.a.method  12.5 J  51.4%     1109
a\u202eb\n表                      0.5 J   2.1%        7
more                             0.1 J
`
		some = `method           energy  share
…me.of.a.method  12.5 J  51.4%
a\u202eb\n表       0.5 J   2.1%
more              0.1 J
`
		one = `method        energy
…of.a.method  12.5 J
a\u202eb\n表    0.5 J
more           0.1 J
`
	)
	for width, want := range map[int]string{All: all, 54: all, 30: some, 20: one} {
		var b strings.Builder
		if err := table().Write(&b, width); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("%d wide:\n%s\nwant\n%s", width, b.String(), want)
		}
		for line := range strings.Lines(b.String()) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > width {
				t.Errorf("%d wide: %q", width, line)
			}
		}
	}
}

// TestIntervalStaysAtFortyColumns: beside a long name a page of 40 columns has the share and its
// interval, and what weighs less goes.
func TestIntervalStaysAtFortyColumns(t *testing.T) {
	c := Table{Name: "unit", Columns: []Column{{"energy", 7}, {"share", 9}, {"95% interval", 8},
		{"CPU time", 6}}}
	c.Row("a.rather.long.name.of.a.method.of.a.class", "12.50 J", "51.4%", "48.1%-54.6%", "1.000 s")
	var b strings.Builder
	if err := c.Write(&b, 40); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "51.4%   48.1%-54.6%") ||
		strings.Contains(text, "1.000 s") {
		t.Error(text)
	}
}
