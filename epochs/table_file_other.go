//go:build !linux

package epochs

import (
	"errors"
	"io/fs"
	"os"
)

// openNameless has nothing to offer but on Linux.
func openNameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// nameFile is never called: it would need a file of openNameless.
func nameFile(*os.File, string) error { return errors.ErrUnsupported }

func othersLink(fs.FileInfo) bool { return false }
