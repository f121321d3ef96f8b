package tracing

import "errors"

// Closers close what was opened, and stand in the order of opening.
type Closers []func() error

// Close closes all, the last opened first. A second Close does nothing.
func (c *Closers) Close() error {
	var errs []error
	for i := len(*c) - 1; i >= 0; i-- {
		errs = append(errs, (*c)[i]())
	}
	*c = nil
	return errors.Join(errs...)
}
