package command

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFailedRestoreIsPrinted: a failed restore is printed even if the program failed as well. The
// program's own status is not printed.
func TestFailedRestoreIsPrinted(t *testing.T) {
	status, left := StatusError(143), errors.New("put the machine's frequencies back: refused")
	for _, c := range []struct {
		err  error
		says string
		code Status
	}{
		{nil, "", OK},
		{status, "", 143},
		{left, left.Error(), Failed},
		{errors.Join(status, left), left.Error(), 143},
		{errors.Join(errors.Join(status, nil), left), left.Error(), 143},
		{errors.Join(status, nil), "", 143},
		{fmt.Errorf("a: %w, b: %w", left, errors.ErrUnsupported),
			"a: " + left.Error() + ", b: unsupported operation", Failed},
	} {
		says := ""
		if err := printed(c.err); err != nil {
			says = err.Error()
		}
		if says != c.says || StatusOf(c.err) != c.code {
			t.Errorf("%v: says %q, exit %d; want %q, %d", c.err, says, StatusOf(c.err), c.says,
				c.code)
		}
	}
}

// TestReaderGoneIsSilent: if the reader of standard output has gone, ebb prints nothing; errors of
// any other pipe or device are printed.
func TestReaderGoneIsSilent(t *testing.T) {
	at := func(path string, err error) error {
		return &os.PathError{Op: "write", Path: path,
			Err: err}
	}
	for _, c := range []struct {
		err  error
		says bool
		code Status
	}{
		{at("/dev/stdout", unix.EPIPE), false, 141},
		{at("/dev/stdout", unix.ENOSPC), true, Failed},
		{at("pipe", unix.EPIPE), true, Failed},
	} {
		if says := printed(c.err) != nil; says != c.says || StatusOf(c.err) != c.code {
			t.Errorf("%v: printed: %v, status %d; want %v, %d", c.err, says, StatusOf(c.err),
				c.says, c.code)
		}
	}
}
