package report

import (
	"bytes"
	"errors"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"io"
	"strings"
	"testing"
)

// FuzzReport: what is taken for a report can be shown in every way that looks at it first, and
// never becomes more than is allowed.
func FuzzReport(f *testing.F) {
	for _, s := range []string{
		`{}`, `null`, `[]`,
		`{"threads":[{"tid":1,"comm":"a"}],"drops":{"ring_full":1},"network":{"processes":[{"pid":1,"threads":[{}]}]}}`,
		`{"ATTRIBUTION":{"rules":["ledger"],"threads":[{}],"stacks":[{"energy_nj":[1]}]}}`,
		strings.Repeat("[", 100), `{"stacks":[null,null]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Decode(text)
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, errTooMuch) &&
				!errors.Is(err, ErrImpossible) {
				t.Errorf("error %v", err)
			}
			return
		}
		r.WriteSummary(io.Discard)
		if r.Network != nil {
			if err := r.Network.WriteText(io.Discard, 0, printable.All); err != nil {
				t.Error(err)
			}
		}
		if r.Attribution != nil && r.Attribution.Check() == nil {
			if err := r.Attribution.WriteText(io.Discard, nil, 0, 0, printable.All); err != nil {
				t.Error(err)
			}
		}
	})
}

// A key in other letters is the same key, and a list of nothing takes as much as one of something.
func TestTooMuch(t *testing.T) {
	for _, element := range []string{"{}", "null"} {
		for _, key := range []string{"THREADS"} {
			text := `{"` + key + `":[` + string(bytes.Repeat([]byte(element+","), 2_000_000)) +
				element + `]}`
			if _, err := Decode([]byte(text)); !errors.Is(err, errTooMuch) {
				t.Errorf("two million %s of %s: %v", key, element, err)
			}
		}
	}
}
