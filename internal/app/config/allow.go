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
	// Agents are users who may ask for pods of the Namespaces, whose cgroups are root's.
	Agents     Users
	Namespaces Namespaces
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

// Namespaces is a list of namespaces of Kubernetes. It is written "shop,batch".
type Namespaces string

// maxNamespaces bounds their number.
const maxNamespaces = 256

// String returns the text that Set reads.
func (n Namespaces) String() string { return string(n) }

// List returns the namespaces one by one.
func (n Namespaces) List() []string { return Users(n).List() }

// UnmarshalText reads what String writes.
func (n *Namespaces) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*n = ""
		return nil
	}
	var read []string
	for name := range strings.SplitSeq(string(text), ",") {
		if name = strings.TrimSpace(name); !isNamespace(name) {
			return fmt.Errorf("%.70q is no namespace: names of small letters, digits and hyphens "+
				"with commas between them are wanted", name)
		}
		if !slices.Contains(read, name) {
			read = append(read, name)
		}
	}
	if len(read) > maxNamespaces {
		return fmt.Errorf("%d namespaces, more than %d", len(read), maxNamespaces)
	}
	*n = Namespaces(strings.Join(read, ","))
	return nil
}

// isNamespace reports whether a text can be a namespace's name (RFC 1123: a label).
func isNamespace(name string) bool {
	const ends = "abcdefghijklmnopqrstuvwxyz0123456789"
	return name != "" && len(name) <= 63 && strings.Trim(name, ends+"-") == "" &&
		name[0] != '-' && name[len(name)-1] != '-'
}

// Set implements the flag's value by UnmarshalText.
func (n *Namespaces) Set(text string) error { return n.UnmarshalText([]byte(text)) }

// Type names the type in a flag's help.
func (n *Namespaces) Type() string { return "NAMESPACES" }

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
