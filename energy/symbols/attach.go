package symbols

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"syscall"
)

// ErrNoAnswer: a Java machine closed the connection without a word, as one does that ends.
var ErrNoAnswer = errors.New("it has ended")

// MaxAnswer bounds what is read of an answer, in bytes.
const MaxAnswer = 4096

// AttachAnswer reads what a Java machine answers to a command by its attach socket: a line with a number, 0 where it did what was
// asked, and what the command prints (src/hotspot/share/services/attachListener.cpp in OpenJDK). The error quotes the beginning of any
// other answer.
func AttachAnswer(answer []byte) error {
	answer = answer[:min(len(answer), MaxAnswer)]
	if len(answer) == 0 {
		return ErrNoAnswer
	}
	first, rest, _ := bytes.Cut(answer, []byte{'\n'})
	if string(first) == "0" {
		return nil
	}
	return fmt.Errorf("it answered %.40q %.200q", first, bytes.TrimSpace(rest))
}

// Attachable reads /proc/PID/status: the process's id as it sees it itself, and whether it catches SIGQUIT, which would end one
// that is no Java machine. The id is 0 where the text has none.
func Attachable(status []byte) (inner int, catches bool) {
	for line := range bytes.Lines(status) {
		key, value, _ := bytes.Cut(line, []byte{':'})
		fields := bytes.Fields(value)
		if len(fields) == 0 {
			continue
		}
		switch string(key) {
		case "NSpid":
			if n, err := strconv.Atoi(string(fields[len(fields)-1])); err == nil && n > 0 {
				inner = n
			}
		case "SigCgt":
			mask, err := strconv.ParseUint(string(fields[0]), 16, 64)
			catches = err == nil && mask&(1<<(syscall.SIGQUIT-1)) != 0
		}
	}
	return inner, catches
}
