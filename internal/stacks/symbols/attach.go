package symbols

import (
	"bytes"
	"errors"
	"fmt"
)

// errNoAnswer says that a Java machine closed the connection without an answer, as one does that is
// ending.
var errNoAnswer = errors.New("it has ended")

// MaxAnswer bounds the part of an answer that is read, in bytes.
const MaxAnswer = 4096

// AttachAnswer reads what a Java machine answers to a command on its attach socket: a line with a
// number, 0 for success, and then what the command prints
// (src/hotspot/share/services/attachListener.cpp in OpenJDK). The error quotes the beginning of any
// other answer.
func AttachAnswer(answer []byte) error {
	answer = answer[:min(len(answer), MaxAnswer)]
	if len(answer) == 0 {
		return errNoAnswer
	}
	first, rest, _ := bytes.Cut(answer, []byte{'\n'})
	if string(first) == "0" {
		return nil
	}
	return fmt.Errorf("it answered %.40q %.200q", first, bytes.TrimSpace(rest))
}
