package machine

import (
	"fmt"
	"io"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// output is a file that each window replaces, and that another program reads in its own time.
type output struct {
	path    string
	problem string // why the last window is not in it; "" where it is
}

// replace writes a window's text to the file. Where that fails, the file keeps an earlier text. The
// error comes back once for each new reason, and the next window tries again.
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
