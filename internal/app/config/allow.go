package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/units"
)

// Allow says which users may ask a service for leases, and with which budgets. Root may always,
// with any.
type Allow struct {
	Users   Users
	Budgets Budgets
}

// Users is a list of users, by name or number. It is written "alice,1001".
type Users string

// maxUsers bounds their number.
const maxUsers = 256

// maxUserName bounds a name, as useradd(8) does.
const maxUserName = 32

// String returns the text that Set reads.
func (u Users) String() string { return string(u) }

// List returns the users one by one.
func (u Users) List() []string {
	if u == "" {
		return nil
	}
	return strings.Split(string(u), ",")
}

// UnmarshalText reads what String writes.
func (u *Users) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*u = ""
		return nil
	}
	var read []string
	for name := range strings.SplitSeq(string(text), ",") {
		name = strings.TrimSpace(name)
		if n, err := strconv.ParseUint(name, 10, 64); err == nil && n >= 1<<32-1 {
			return fmt.Errorf("%.40q is no user's number", name)
		}
		if name == "" || len(name) > maxUserName || strings.ContainsFunc(name, notInName) {
			return fmt.Errorf("%.40q is no user: names or numbers with commas between them are "+
				"wanted", name)
		}
		if !slices.Contains(read, name) {
			read = append(read, name)
		}
	}
	if len(read) > maxUsers {
		return fmt.Errorf("%d users, more than %d", len(read), maxUsers)
	}
	*u = Users(strings.Join(read, ","))
	return nil
}

// notInName reports whether r cannot be in a user's name (useradd(8); names of directories of users
// have dots and capitals).
func notInName(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
		strings.ContainsRune("_-.$@", r))
}

// Set implements the flag's value by UnmarshalText.
func (u *Users) Set(text string) error { return u.UnmarshalText([]byte(text)) }

// Type names the type in a flag's help.
func (u *Users) Type() string { return "USERS" }

// Budgets are the slowdowns from Least to Most. They are written "1%..10%". The zero value allows
// any.
type Budgets struct{ Least, Most units.Slowdown }

// String returns the text that Set reads, "" for the zero value.
func (b Budgets) String() string {
	if b == (Budgets{}) {
		return ""
	}
	return fmt.Sprintf("%v..%v", b.Least, b.Most)
}

// UnmarshalText reads what String writes.
func (b *Budgets) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*b = Budgets{}
		return nil
	}
	least, most, isRange := strings.Cut(string(text), "..")
	if !isRange {
		return fmt.Errorf("%.40q is not LEAST..MOST, such as 1%%..10%%", text)
	}
	var read Budgets
	if err := errors.Join(read.Least.Set(least), read.Most.Set(most)); err != nil {
		return err
	}
	if read.Most < read.Least || read.Most == 0 {
		return fmt.Errorf("%v to %v is no range of slowdowns", read.Least, read.Most)
	}
	*b = read
	return nil
}

// Set implements the flag's value by UnmarshalText.
func (b *Budgets) Set(text string) error { return b.UnmarshalText([]byte(text)) }

// Type names the type in a flag's help.
func (b *Budgets) Type() string { return "LEAST..MOST" }

// Bounds returns the least and the most slowdown that are allowed.
func (b Budgets) Bounds() (least, most units.Slowdown) {
	if b == (Budgets{}) {
		return 0, 1
	}
	return b.Least, b.Most
}
