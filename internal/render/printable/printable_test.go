package printable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"app.Work.run([I)V":            "app.Work.run([I)V",
		"größe 大小 …":                   "größe 大小 …",
		"\x1b]0;owned\a":               `\x1b]0;owned\x07`,
		"\u009b31m":                    `\u009b31m`,
		"\x9b31m":                      `\x9b31m`,
		"a\nebb: all is well\r\tb":     `a\nebb: all is well\r\tb`,
		"\u202egpj.exe\u202c\u2066x":   `\u202egpj.exe\u202c\u2066x`,
		"del\x7f nul\x00":              `del\x7f nul\x00`,
		"half \xe2\x82 of a rune":      `half \xe2\x82 of a rune`,
		"a real \ufffd stays":          "a real \ufffd stays",
		"line\u2028paragraph\u2029":    `line\u2028paragraph\u2029`,
		"zero\u200bwidth\ufeff":        `zero\u200bwidth\ufeff`,
		"tag\U000e0041":                `tag\U000e0041`,
		`dev-disk-by\x2duuid.device`:   `dev-disk-by\x2duuid.device`,
		"surrogate \xed\xa0\x80 alone": `surrogate \xed\xa0\x80 alone`,
	} {
		if got := Name(in); got != want {
			t.Errorf("Name(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{
		{"short", 10, "short"}, {"exactly10!", 10, "exactly10!"},
		{"more than ten", 10, "more than…"}, {"\n\n\n\n\n\n", 10, `\n\n\n\n\…`},
		{strings.Repeat("\x9b", 1<<20), 5, `\x9b…`}, {strings.Repeat("大", 1<<20), 3, "大大…"},
	} {
		if got := Cut(c.in, c.most); got != c.want {
			t.Errorf("Cut(%.20q, %d) is %q, want %q", c.in, c.most, got, c.want)
		}
	}
}

func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		"main": "main", "=HYPERLINK(1)": "'=HYPERLINK(1)", "+1": "'+1", "-1+1": "'-1+1",
		"@SUM(1)": "'@SUM(1)", "  =1": "'  =1",
		"\t=1": `\t=1`, "\r=1": `\r=1`, "\uff1d1": "'\uff1d1", "a=1": "a=1", "": "",
		"operator+": "operator+", "'=1": "'=1",
	} {
		if got := Cell(in); got != want {
			t.Errorf("Cell(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestFrame(t *testing.T) {
	for in, want := range map[string]string{"": "[no name]", "a;b": "a:b", "a\nb 5": `a\nb 5`,
		"\x1b;": `\x1b:`} {
		if got := Frame(in); got != want {
			t.Errorf("Frame(%q) is %q, want %q", in, got, want)
		}
	}
}

// Whatever is in a name, it is one line of visible characters, and what was visible stays as it is.
func FuzzName(f *testing.F) {
	for _, s := range []string{"main", "\x1b[2J", "\u009b", "\xff\xfe", "\u202e", "a\nb", "\ufffd",
		"=1;2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for what, got := range map[string]string{"Name": Name(s), "Cell": Cell(s),
			"Frame": Frame(s), "Cut": Cut(s, 20)} {
			if !utf8.ValidString(got) ||
				strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%s(%q) is %q", what, s, got)
			}
		}
		if got := Name(Name(s)); got != Name(s) {
			t.Errorf("Name(%q) twice is %q", s, got)
		}
		// JSON means the same with and without, and shows nothing that a terminal obeys.
		var plain, safe bytes.Buffer
		enc := json.NewEncoder(JSON(&safe))
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&plain).Encode(s); err != nil {
			t.Fatal(err)
		}
		var a, b string
		if json.Unmarshal(plain.Bytes(), &a) != nil || json.Unmarshal(safe.Bytes(), &b) != nil ||
			a != b {
			t.Errorf("JSON of %q is %q, which means %q", s, safe.String(), b)
		}
		for _, r := range strings.TrimSuffix(safe.String(), "\n") {
			if !unicode.IsPrint(r) && r <= 0xffff {
				t.Errorf("JSON of %q has %U", s, r)
			}
		}
	})
}

type kind string

func TestFprintf(t *testing.T) {
	var b bytes.Buffer
	if _, err := Fprintf(&b, "%s %v %q %d %v %v %s\n", "a\nb", errors.New("c\x1b"), "d", 5, nil,
		kind("e\t"), []string{"f"}); err != nil {
		t.Fatal(err)
	}
	if want := `a\nb c\x1b "d" 5 <nil> e\t [f]` + "\n"; b.String() != want {
		t.Errorf("printed %q, want %q", b.String(), want)
	}
}

func TestErrors(t *testing.T) {
	one, two := errors.New("open a\nb: refused"), errors.New("close c: no")
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""}, {one, `open a\nb: refused`},
		{errors.Join(one, nil, errors.Join(two, one)),
			`open a\nb: refused|close c: no|open a\nb: refused`},
		{fmt.Errorf("run: %w and %w", one, two), `run: open a\nb: refused and close c: no`},
		{fmt.Errorf("run: %w", errors.Join(two, two)), `run: close c: no\nclose c: no`},
	} {
		if got := strings.Join(Errors(c.err), "|"); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
