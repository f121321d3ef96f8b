package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// exitCode is ebb's exit status. `ebb run` otherwise passes on the status of the program it ran.
type exitCode int

const (
	exitOK     exitCode = 0
	exitFailed exitCode = 1 // ebb could not do it
	exitUsage  exitCode = 2 // ebb was asked for something that makes no sense
	// exitSignal plus the signal's number is the status for a program that a signal ended, as in a
	// shell.
	exitSignal exitCode = 128
)

const exitHelp = `Exit status:
  0      done (run: the program's own status, 128+N when signal N ended it)
  1      ebb could not do it; one sentence on standard error says why
  2      wrong usage: flags, file contents, a command or process that does not exist`

// usageError is an error that the caller can mend: exit status 2.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// statusError carries the status of the program that was run; there is nothing to print.
type statusError exitCode

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func codeOf(err error) exitCode {
	var usage usageError
	var status statusError
	switch {
	case err == nil:
		return exitOK
	case readerGone(err):
		return exitSignal + exitCode(syscall.SIGPIPE)
	case errors.As(err, &status):
		return exitCode(status)
	case errors.As(err, &usage):
		return exitUsage
	default:
		return exitFailed
	}
}

// readerGone says whether standard output is a pipe that nobody reads any more, as of `ebb report
// r.json | head`. That is no failure to tell of; the status is as if the signal had ended ebb.
func readerGone(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && at.Path == os.Stdout.Name() && errors.Is(at, syscall.EPIPE)
}

// untold is what there is to print of an error: all but the status of the program, which may have
// ended badly in a run that could not put everything back.
func untold(err error) error {
	var status statusError
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
		rest = append(rest, untold(e))
	}
	return errors.Join(rest...)
}

// statusOf is the exit status that stands for how a program ended.
func statusOf(state *os.ProcessState) exitCode {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return exitSignal + exitCode(ws.Signal())
	}
	return exitCode(state.ExitCode())
}
