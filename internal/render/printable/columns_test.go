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

// TestNarrowKeepsNamesApart: names that would be cut to the same text are cut elsewhere, wherever
// they differ, and equal names stay equal.
func TestNarrowKeepsNamesApart(t *testing.T) {
	for _, names := range [][]string{
		{"v8::internal::Deserializer::ReadData", "v8::internal::Deserializer::ReadObject", "main"},
		{"org.example.one.Codec.encode", "org.example.two.Codec.encode"},
		{"nginx+0x54130 (between ngx_os_specific_status and ngx_linux_sendfile_chain)",
			"nginx+0x53970 (between ngx_os_specific_status and ngx_linux_sendfile_chain)"},
		{"Tree<A>::f(long, int)", "Tree<A>::f(long, char)", "Tree<A>::f(long, bool)"},
	} {
		for _, most := range []int{18, 20, 24, 60} {
			seen := map[string]bool{}
			for i, n := range Narrow(names, most) {
				if utf8.RuneCountInString(n) > most || seen[n] {
					t.Errorf("%d: %q is %q", most, names[i], n)
				}
				seen[n] = true
			}
		}
	}
	if got := Narrow([]string{"a long name (x)", "a long name (x)"}, 8); got[0] != got[1] ||
		got[0] != "a long …" {
		t.Errorf("%q", got)
	}
	for most := range 4 {
		for _, n := range Narrow([]string{"abcdef (1)", "abcdef (2)"}, most) {
			if utf8.RuneCountInString(n) > max(most, 1) {
				t.Errorf("%d: %q", most, n)
			}
		}
	}
}
