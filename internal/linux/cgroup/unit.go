package cgroup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
)

// kinds are the kinds of units that can have processes.
var kinds = []string{".service", ".scope", ".slice", ".socket", ".mount", ".swap"}

// Unit opens the cgroup of a systemd unit; a name without a kind is a service's. Unit asks systemd.
// It searches the hierarchy for a unit that systemd does not know, such as those of users, and for
// any unit where systemd does not answer.
//
// It fails with ErrNoUnit or ErrNotRunning if systemd says so.
func Unit(name string) (*Cgroup, error) {
	name, err := unitName(name)
	if err != nil {
		return nil, err
	}
	root, err := Root()
	if err != nil {
		return nil, err
	}
	state, asked := ask(name)
	if asked == nil && state.path != "" {
		return Open(filepath.Join(root, state.path))
	}
	if asked == nil && state.load != "not-found" {
		return nil, fmt.Errorf("%w: the unit is %s", ErrNotRunning, state.active)
	}
	found := find(root, name)
	switch {
	case len(found) == 1:
		return Open(found[0])
	case len(found) > 1:
		return nil, severalUnits(found)
	case asked == nil:
		return nil, ErrNoUnit
	default:
		return nil, fmt.Errorf(
			"%w, or it is not running: no directory below %s has its name (systemctl failed: %w)",
			ErrNoUnit, root, asked,
		)
	}
}

// unitName checks a unit's name (systemd.unit(5)) and completes it.
func unitName(name string) (string, error) {
	valid := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune(`:-_.\@`, r)
	}
	if name == "" || len(name) > 255 || name[0] == '-' || strings.Trim(name, ".") == "" ||
		strings.ContainsFunc(name, func(r rune) bool { return !valid(r) }) {
		return "", fmt.Errorf("%w: it is no unit's name", ErrNoUnit)
	}
	for _, kind := range kinds {
		if strings.HasSuffix(name, kind) {
			return name, nil
		}
	}
	return name + ".service", nil
}

// state holds systemd's report of a unit.
type state struct {
	load, active string
	path         string // path of its cgroup below the root of the hierarchy; "" when it has none
	slice        string // name of the slice that the unit is, or will be, in
}

// ask asks systemd by its own command, which needs neither a library nor the bus's address.
func ask(name string) (state, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	out, err := systemctl(ctx, "show",
		"--property=LoadState,ActiveState,ControlGroup,Slice", "--", name).Output()
	if err != nil {
		var exit *exec.ExitError
		if said := sentence(stderrOf(err, &exit)); said != "" {
			return state{}, fmt.Errorf("systemctl show: %s", said)
		}
		return state{}, fmt.Errorf("systemctl show: %w", err)
	}
	return parseState(string(out))
}

// sentence returns the first sentence of a text, without its full stop, to be a part of another.
func sentence(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, ". ")
	return strings.TrimSuffix(text, ".")
}

func stderrOf(err error, exit **exec.ExitError) string {
	if !errors.As(err, exit) {
		return ""
	}
	return strings.TrimSpace(string((*exit).Stderr))
}

// parseState reads the output of systemctl show.
func parseState(text string) (s state, err error) {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), "=")
		switch key {
		case "LoadState":
			s.load = value
		case "ActiveState":
			s.active = value
		case "ControlGroup":
			s.path = value
		case "Slice":
			s.slice = value
		}
	}
	if s.load == "" {
		return state{}, fmt.Errorf("systemctl show does not report the unit's state: %.60q", text)
	}
	return s, nil
}

// find searches for a unit's directory. systemd puts an underscore before names that the kernel
// uses itself.
func find(root, name string) (found []string) {
	// Unreadable directories are skipped: a caller without the right learns it by not finding the
	// unit.
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != root && (d.Name() == name || d.Name() == "_"+name) {
			found = append(found, path)
		}
		return nil
	})
	return found
}
