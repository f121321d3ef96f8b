//go:build !race

package view

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/internal/sandbox/child"
	"github.com/ebb-energy/ebb/internal/sandbox/opener"
)

// TestMain runs the test binary as one of the sandbox's processes, when a test has started it as
// that, or as a client of debuginfod.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	var err error
	switch os.Args[1] {
	case sandbox.ChildCommand:
		err = child.Main()
	case sandbox.OpenerCommand:
		err = opener.Main()
	case "debuginfo":
		err = client()
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "ebb: %v\n", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// client is a client of debuginfod that has been fooled: by a variable it answers with a file, with
// none, with one as large as is allowed, or with a file without end.
func client() error {
	kept := filepath.Join(os.Getenv("DEBUGINFOD_CACHE_PATH"), os.Args[2], "debuginfo")
	most, err := strconv.ParseInt(os.Getenv("DEBUGINFOD_MAXSIZE"), 10, 64)
	if err != nil {
		return err
	}
	switch answer := os.Getenv("ANSWER"); answer {
	case "":
		return errors.New("Server query failed: No such file or directory\x1b[2J")
	case "huge":
		if _, err := fill(kept, most-1); err != nil {
			return err
		}
		_, err := fmt.Println(kept)
		return err
	case "endless":
		// Nothing is written: the place behind the limit alone is refused.
		f, err := fill(kept+".sW0rDf", 0)
		if err != nil {
			return err
		}
		_, err = f.WriteAt([]byte{0}, most)
		return err
	default:
		_, err := fmt.Println(answer)
		return err
	}
}

// fill makes a file whose last byte is at some place.
func fill(path string, last int64) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteAt([]byte{0}, last)
	return f, err
}
