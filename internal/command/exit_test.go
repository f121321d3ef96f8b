package command

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// An error of restoring the machine is printed although the program that was run also ended badly.
// The program's status alone is not printed.
func TestOnlyErrorsOfEbbArePrinted(t *testing.T) {
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
		if err := Printed(c.err); err != nil {
			says = err.Error()
		}
		if says != c.says || StatusOf(c.err) != c.code {
			t.Errorf("%v: says %q, exit %d; want %q, %d", c.err, says, StatusOf(c.err), c.says,
				c.code)
		}
	}
}

// A reader of standard output that has gone is no error to print; any other pipe or device is.
func TestReaderGone(t *testing.T) {
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
		if says := Printed(c.err) != nil; says != c.says || StatusOf(c.err) != c.code {
			t.Errorf("%v: printed: %v, status %d; want %v, %d", c.err, says, StatusOf(c.err),
				c.says, c.code)
		}
	}
}
