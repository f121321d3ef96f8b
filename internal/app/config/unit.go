package config

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/units"
)

// unitSection is the section of a systemd unit's files that is ebb's: systemd leaves those alone
// whose names begin with X- (systemd.unit(5)).
const unitSection = "X-Ebb"

// maxUnitBytes bounds a unit's file. systemd has a bound for a line alone, of 1 MiB, and the files
// of most units say nothing to ebb: one that is only long is no mistake.
const maxUnitBytes = 16 << 20

// Wish is what the files of a unit say of its budget.
type Wish struct {
	Slowdown units.Slowdown
	Given    bool // it has a budget
}

// DecodeUnit takes what a file of a systemd unit says of its budget; what it does not say stays.
// The file's grammar is systemd's (systemd.syntax(7)): comments begin with # or ;, a line that ends
// with a backslash goes on in the next one, and an empty value takes back what was said before. An
// error names the file and the line.
func (w *Wish) DecodeUnit(r io.Reader, name string) error {
	text, err := io.ReadAll(io.LimitReader(r, maxUnitBytes+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if len(text) > maxUnitBytes {
		return fmt.Errorf("%s: longer than %d bytes", name, maxUnitBytes)
	}
	ours := false
	for number, line := range logicalLines(strings.TrimPrefix(string(text), "\ufeff")) {
		if line == "" {
			continue
		}
		if line[0] == '[' {
			ours, err = isOurs(line)
		} else if ours {
			err = w.assign(line)
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", name, number, err)
		}
	}
	return nil
}

// logicalLines are the lines of a unit's file without white space around them, with the number of
// the line at which each begins. They have no comments, also none within a line that goes on.
func logicalLines(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		var begun strings.Builder
		began, number := 0, 0
		for line := range strings.Lines(text) {
			number++
			line = strings.TrimLeft(strings.TrimRight(line, "\r\n"), unitSpace)
			if line != "" && (line[0] == '#' || line[0] == ';') {
				continue
			}
			if begun.Len() == 0 {
				began = number
			}
			if rest, goes := goesOn(line); goes {
				begun.WriteString(rest + " ")
				continue
			}
			begun.WriteString(line)
			if !yield(began, strings.Trim(begun.String(), unitSpace)) {
				return
			}
			begun.Reset()
		}
		if begun.Len() > 0 {
			yield(began, strings.Trim(begun.String(), unitSpace))
		}
	}
}

const unitSpace = " \t\r\n"

// goesOn reports whether a line goes on in the next one: it ends with a backslash that none before
// it takes away.
func goesOn(line string) (rest string, goes bool) {
	rest = strings.TrimRight(line, `\`)
	if n := len(line) - len(rest); n%2 == 0 {
		return line, false
	}
	return line[:len(line)-1], true
}

// isOurs reports whether a section is ebb's. One that was meant to be is a mistake.
func isOurs(header string) (bool, error) {
	name, _, _ := strings.Cut(strings.TrimLeft(header, "["+unitSpace), "]")
	switch {
	case header == "["+unitSection+"]":
		return true, nil
	case strings.EqualFold(strings.Trim(name, unitSpace), unitSection):
		return false, fmt.Errorf("%.40q: ebb's section is written as [%s]", header, unitSection)
	}
	return false, nil
}

// assign takes a line of ebb's section.
func (w *Wish) assign(line string) error {
	key, value, is := strings.Cut(line, "=")
	key, value = strings.Trim(key, unitSpace), strings.Trim(value, unitSpace)
	known := []string{"Slowdown"}
	switch {
	case !is:
		return fmt.Errorf("%.80q has no =, as in Slowdown=5%%", line)
	case !slices.Contains(known, key):
		if near := Nearest(key, known); near != "" {
			return fmt.Errorf("%.80q: no such key; did you mean %s?", key, near)
		}
		return fmt.Errorf("%.80q: no such key; there is Slowdown", key)
	case value == "":
		*w = Wish{}
		return nil
	}
	w.Given = true
	if err := w.Slowdown.Set(value); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// ErrUnitName: a unit's name is no name for a tenant.
var ErrUnitName = errors.New("its name is too long for a tenant's: name it in a file of tenants")

// AddUnit adds a unit whose files wish for a budget, unless a tenant has it already: a file of
// tenants comes first. The tenant has the unit's name.
func (t *Tenants) AddUnit(name string, w Wish) error {
	one := Tenant{Name: name, Unit: name, Slowdown: w.Slowdown, Budget: true}
	same := func(o Tenant) bool { return o.threads() == one.threads() }
	switch {
	case !w.Given || slices.ContainsFunc(t.Tenants, same):
		return nil
	case len(name) > maxTenantName:
		return fmt.Errorf("unit %.80s: %w", name, ErrUnitName)
	}
	t.Tenants = append(t.Tenants, one)
	return nil
}
