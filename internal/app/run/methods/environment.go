package methods

import (
	"errors"
	"fmt"
	"os"

	"github.com/ebb-energy/ebb/governor/live"
)

// environment has the variables that an instrument adds for the command that is started next. They
// are in ebb's own environment only from start to started: other processes that ebb starts later,
// such as a new sandbox child, must not have them.
type environment struct {
	before []variable
}

type variable struct {
	name, value string
	had         bool
}

// set sets a variable.
func (e *environment) set(name, value string) error {
	v := variable{name: name}
	v.value, v.had = os.LookupEnv(name)
	if err := os.Setenv(name, value); err != nil {
		return fmt.Errorf("prepare the program's environment: %w", err)
	}
	e.before = append(e.before, v)
	return nil
}

// present returns a variable's value that a user's command would get without ebb.
func present(as *live.Identity, name string) string {
	value := os.Getenv(name)
	if !as.Gets(name + "=" + value) {
		return ""
	}
	return value
}

// restore sets all variables as they were. A second call does nothing.
func (e *environment) restore() error {
	var errs []error
	for i := len(e.before) - 1; i >= 0; i-- {
		if v := &e.before[i]; v.had {
			errs = append(errs, os.Setenv(v.name, v.value))
		} else {
			errs = append(errs, os.Unsetenv(v.name))
		}
	}
	e.before = nil
	return errors.Join(errs...)
}
