package sysfs

import (
	"errors"
	"io/fs"
	"syscall"
)

var (
	// ErrAbsent says that there is no such attribute, or its device has gone.
	ErrAbsent = errors.New("absent")
	// ErrRefused says that the attribute is there, but the kernel did not do what was asked: no
	// permission, busy, a value out of range, a driver's failure, a path that leaves the root.
	ErrRefused = errors.New("refused")
	// ErrMalformed says that the attribute was read and makes no sense.
	ErrMalformed = errors.New("malformed")
)

// attributeError is a failed operation on one attribute.
type attributeError struct {
	op, path string
	kind     error // ErrAbsent, ErrRefused or ErrMalformed
	cause    error
}

func (e *attributeError) Error() string {
	return e.op + " " + e.path + ": " + e.kind.Error() + ": " + e.cause.Error()
}

func (e *attributeError) Unwrap() []error { return []error{e.kind, e.cause} }

// fail wraps the system's error as ErrAbsent or ErrRefused.
func fail(op, path string, err error) error {
	kind := ErrRefused
	for _, gone := range []error{syscall.ENOENT, syscall.ENOTDIR, syscall.ENODEV, syscall.ENXIO} {
		if errors.Is(err, gone) {
			kind = ErrAbsent
		}
	}
	return &attributeError{op, path, kind, bare(err)}
}

func malformed(op, path string, cause error) error {
	return &attributeError{op, path, ErrMalformed, cause}
}

// bare cuts the path that os puts before an error: attributeError has it already.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
