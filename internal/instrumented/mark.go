package instrumented

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/ebb-energy/ebb/units"
)

// Bounds of a mark, in bytes.
const (
	MaxRegionName = 64
	MaxMark       = MaxRegionName + 32
)

// MarksVariable is the environment variable in which a program finds the pipe that takes its marks.
const MarksVariable = "EBB_MARKS"

// Mark says that a region begins or ends.
type Mark struct {
	Name string
	End  bool
	At   units.Instant // 0: the moment at which it is read
}

// ErrRegionName says that a region cannot have that name.
var ErrRegionName = errors.New("a region's name has 1 to 64 bytes, without blanks, # and " +
	"unprintable characters")

// CheckRegion refuses names that no region can have.
func CheckRegion(name string) error {
	if name == "" || len(name) > MaxRegionName || !utf8.ValidString(name) {
		return ErrRegionName
	}
	for _, c := range name {
		if !unicode.IsGraphic(c) || unicode.IsSpace(c) || c == '#' {
			return ErrRegionName
		}
	}
	return nil
}

// The words that a mark begins with.
const (
	Begin = "begin"
	End   = "end"
)

// Line returns the mark as a line.
func (m Mark) Line() string {
	word := Begin
	if m.End {
		word = End
	}
	if m.At == 0 {
		return fmt.Sprintf("%s %s\n", word, m.Name)
	}
	return fmt.Sprintf("%s %s %d\n", word, m.Name, m.At)
}
