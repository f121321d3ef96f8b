package eval

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Settings are the choices of an evaluation. The zero value is the complete one.
type Settings struct {
	Figures []string // names; none selects every figure
	Quick   bool     // one seed where there would be four, and fewer where there would be more
	Seed    uint64   // seed of the first run; the others count up from it
	Method  Method   // method of ebb's own runs
}

// DefaultSeed is the seed of the results in the documentation.
const DefaultSeed = 1

// repeats is the number of runs of which a mean in the paper's figures is (section 4).
const repeats = 4

// times returns a number of runs: n, or one in the quick variant.
func (s *Settings) times(n int) int {
	if s.Quick {
		return 1
	}
	return n
}

// errUnknownFigure is the error for a name that no figure has.
var errUnknownFigure = errors.New("unknown figure")

// chosen returns the figures that the settings ask for, in the order of the page.
func (s *Settings) chosen() (out []*figure, err error) {
	for _, name := range s.Figures {
		if !slices.ContainsFunc(figures, func(f *figure) bool { return f.name == name }) {
			return nil, fmt.Errorf("%w %q: there are %s", errUnknownFigure, name,
				strings.Join(FigureNames(), ", "))
		}
	}
	for _, f := range figures {
		if len(s.Figures) == 0 || slices.Contains(s.Figures, f.name) {
			out = append(out, f)
		}
	}
	return out, nil
}

// FigureNames returns the names of all figures: the paper's by their numbers, then ebb's own.
func FigureNames() (n []string) {
	for _, f := range figures {
		n = append(n, f.name)
	}
	return n
}

// Check returns an error that says what is wrong with the settings.
func (s *Settings) Check() error {
	if _, err := s.chosen(); err != nil {
		return err
	}
	return s.Method.check()
}
