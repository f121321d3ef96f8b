package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Status is ebb's exit status. `ebb run` otherwise passes on the status of the program it ran.
type Status int

// The exit statuses of ebb's own.
const (
	OK     Status = 0
	Failed Status = 1 // ebb could not do it
	Usage  Status = 2 // ebb was asked for something that makes no sense
	// Disturbed and Inconclusive are ebb calm's: all periods disturb the program, or it is unknown
	// whether they do.
	Disturbed    Status = 3
	Inconclusive Status = 4
)

// BySignal returns the status of a program that a signal ended, as in a shell.
func BySignal(s syscall.Signal) Status { return 128 + Status(s) }

// OfProgram returns the status for the end of a program.
func OfProgram(state *os.ProcessState) Status {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return BySignal(ws.Signal())
	}
	return Status(state.ExitCode())
}

// ExitHelp describes the statuses.
const ExitHelp = `Exit status:
  0      done, also when Ctrl-C ends a run that attached to a process;
         a command's run has the command's own status
  1      ebb could not do it; one sentence on standard error says why
  2      wrong usage: flags, files, a missing command or process
  3, 4   ebb calm: all periods disturb the program; or it is not known
  128+N  signal N ended the command, or interrupted ebb's measurement`

// usageError is an error that the caller can correct: exit status 2.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// UsageError returns err as an error that the caller can correct: exit status 2.
func UsageError(err error) error { return usageError{err} }

// Usagef returns such an error, formatted as by fmt.Errorf.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// StatusError carries the status of the program that was run. There is nothing to print.
type StatusError Status

func (e StatusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// StatusOf returns the exit status of a subcommand that ended with err.
func StatusOf(err error) Status {
	var usage usageError
	var status StatusError
	switch {
	case err == nil:
		return OK
	case readerGone(err):
		return BySignal(syscall.SIGPIPE)
	case errors.As(err, &status):
		return Status(status)
	case errors.As(err, &usage):
		return Usage
	default:
		return Failed
	}
}

// readerGone reports whether standard output is a pipe without a reader, as after `ebb report
// r.json | head`. ebb prints nothing then; its status is as if SIGPIPE had ended it.
func readerGone(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && at.Path == os.Stdout.Name() && errors.Is(at, syscall.EPIPE)
}

// printed returns the part of an error that is printed: all except the status of the program. The
// program may have failed in a run that also failed to restore the frequencies.
func printed(err error) error {
	var status StatusError
	if readerGone(err) {
		return nil
	}
	if !errors.As(err, &status) {
		return err
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var rest []error
	for _, e := range joined.Unwrap() {
		rest = append(rest, printed(e))
	}
	return errors.Join(rest...)
}
