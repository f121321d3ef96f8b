package main

import (
	"errors"
	"fmt"
	"testing"
)

// What could not be put back is told although the program that was run ended badly too, whose
// status is nothing to tell.
func TestUntold(t *testing.T) {
	status, left := statusError(143), errors.New("put the machine's frequencies back: refused")
	for _, c := range []struct {
		err  error
		says string
		code exitCode
	}{
		{nil, "", exitOK},
		{status, "", 143},
		{left, left.Error(), exitFailed},
		{errors.Join(status, left), left.Error(), 143},
		{errors.Join(errors.Join(status, nil), left), left.Error(), 143},
		{errors.Join(status, nil), "", 143},
		{fmt.Errorf("a: %w, b: %w", left, errors.ErrUnsupported),
			"a: " + left.Error() + ", b: unsupported operation", exitFailed},
	} {
		says := ""
		if err := untold(c.err); err != nil {
			says = err.Error()
		}
		if says != c.says || codeOf(c.err) != c.code {
			t.Errorf("%v: says %q, exit %d; want %q, %d", c.err, says, codeOf(c.err), c.says,
				c.code)
		}
	}
}
