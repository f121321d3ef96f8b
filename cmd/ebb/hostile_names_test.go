package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/view"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// hostileName combines all attacks of a program's name: a formula, line ends, terminal escapes and
// reversed text.
const hostileName = "=\x1b]0;a\a\u009b31m\nebb: forged\r\t\x7f\u202e\u2066;,\"<b>\x9b\xff"

// hostile sets every string of a value, and fills slices and pointers so that there are some.
func hostile(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(hostileName)
	case reflect.Pointer:
		if depth > 8 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		hostile(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				hostile(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		hostile(v.Index(0), depth+1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		hostile(key, depth+1)
		hostile(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	}
}

// hostileReport is a report that adds up, with hostileName wherever a string is.
func hostileReport() *report.Report {
	r := &report.Report{}
	hostile(reflect.ValueOf(r).Elem(), 0)
	a := r.Attribution
	z := &a.Zones[0]
	z.Attr, z.OthersNJ, z.IdleNJ = []int64{5e9}, []int64{0}, []int64{0}
	z.RestNJ, z.TotalNJ = []int64{0}, 5e9
	a.Stacks[0].EnergyNJ, a.Stacks[0].Samples, a.Stacks[0].CPUNS = []int64{5e9}, 3, 1e9
	a.Stacks[0].ByFrequency = nil
	a.Network.Transfers[0].Sent = 7
	return r
}

// printed fails if a text for people contains a terminal escape, or a line that a name began.
func printed(t *testing.T, what, text string) {
	t.Helper()
	if text == "" {
		t.Errorf("%s is empty", what)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "ebb: forged") {
			t.Errorf("%s: a name began a line: %q", what, line)
		}
		if i := strings.IndexFunc(line,
			func(r rune) bool {
				return !unicode.IsPrint(r) ||
					r == unicode.ReplacementChar
			}); i >= 0 {
			t.Errorf("%s has %q in %.120q", what, line[i:min(i+4, len(line))], line)
		}
	}
}

// TestHostileNames feeds every view and format with a report whose every string is hostile.
func TestHostileNames(t *testing.T) {
	r := hostileReport()
	var summary, folded bytes.Buffer
	r.WriteSummary(&summary)
	command.Fit(&folded, summary.String(), 14, 80) // as a run prints it
	printed(t, "the summary", folded.String())
	path := filepath.Join(t.TempDir(), "r.json")
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	show := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := ebb(append([]string{"report", path}, args...),
			command.Stdio{In: os.Stdin, Out: &out, Err: &errs}); code != command.OK {
			t.Errorf("%q: status %d, %s", args, code, errs.String())
		}
		printed(t, strings.Join(args, " ")+" on standard error", errs.String()+".")
		return out.String()
	}
	var decoded report.Report
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}
	rule := "--rule=" + decoded.Attribution.Rules[0]
	// What json.Marshal has made of bytes that are no text, U+FFFD, is a visible character.
	shown := func(s string) string { return strings.ReplaceAll(s, "\ufffd", "?") }
	printed(t, view.ByNetwork, shown(show("--by", view.ByNetwork)))
	for _, format := range []string{"folded", "speedscope"} {
		printed(t, format, shown(show(rule, "--format", format)))
	}
	for _, by := range profile.Views {
		printed(t, by, shown(show("--by", by, rule)))
		printed(t, by+" as JSON", shown(show("--by", by, rule, "--format", "json")))
		printed(t, by+" by all rules", shown(show("--by", by, "--rule", "all")))
		printed(t, by+" compared", shown(show("--by", by, rule, "--diff", path)))
		table := show("--by", by, rule, "--format", "csv")
		printed(t, by+" as CSV", shown(table))
		rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@") {
					t.Errorf("%s as CSV: %q is a formula", by, cell)
				}
			}
		}
		page := show("--by", by, rule, "--format", "html")
		for _, part := range []string{"verdict", "better", "run", "savings", "warnings"} {
			if !strings.Contains(page, `id="`+part+`"`) {
				t.Errorf("%s as a page shows no %s", by, part)
			}
		}
		if i := strings.Index(page, `,"<b>`); i >= 0 {
			t.Errorf("%s as a page has a name's HTML: %q", by, page[max(0, i-60):i+9])
		}
		if i := strings.IndexAny(page, "\x1b\u009b\u202e\u2066"); i >= 0 {
			t.Errorf("%s as a page has a name as it is: %q", by, page[max(0, i-60):i+9])
		}
	}
}

// TestHostileArguments: errors contain names from the command line and from files; they are printed
// safely.
func TestHostileArguments(t *testing.T) {
	name := strings.ReplaceAll(hostileName, "\x00", "")
	for _, args := range [][]string{
		{"report", name}, {"predict", name, "--to", "1GHz"}, {"predict", "x", "--to", name},
		{"replay", name}, {"run", "--config", name, "--", "true"},
		{"run", "--unit", name}, {"run", "--shadow", "--", "./" + name},
		{"calm", "--", "./" + name}, {name}, {"run", "--" + name}, {"report", "--by", name, "x"},
	} {
		var errs bytes.Buffer
		std := command.Stdio{In: os.Stdin, Out: io.Discard, Err: &errs}
		if code := ebb(args, std); code == command.OK {
			t.Errorf("%q: status 0", args)
		}
		printed(t, strings.Join(args[:1], " "), errs.String())
	}
}
