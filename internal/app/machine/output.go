package machine

import (
	"fmt"
	"io"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// output is a file that another program reads in its own time, and that each window replaces.
type output struct {
	path    string
	problem string // why the last window is not in it; "" where it is
}

// replace has the file have a window's text. Where that cannot be, it keeps an earlier one; why
// comes back once, until it is another reason, and the next window tries again.
func (o *output) replace(text []byte) error {
	err := toFile(o.path, text)
	said := o.problem
	if o.problem = ""; err == nil {
		return nil
	}
	if o.problem = err.Error(); o.problem == said {
		return nil
	}
	return fmt.Errorf("%s has no new window: %w", o.path, err)
}

func toFile(path string, text []byte) error {
	return safefile.Whole(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
