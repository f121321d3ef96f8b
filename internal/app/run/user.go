package run

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/command"
)

// identity returns the user that the run's command runs as, nil for ebb's own.
func (s *Settings) identity() (*live.Identity, error) {
	switch {
	case s.User != "" && s.attaches():
		return nil, command.Usagef("--user %s: a process that runs already keeps its user", s.User)
	case s.attaches():
		return nil, nil
	}
	return Identity(s.User, s.KeepEnv)
}

// Identity returns the user that a command runs as, nil for ebb's own: the one that --user names,
// otherwise the one who called ebb by sudo. ebb needs root, but most commands do not: as root they
// would leave files that their user cannot change.
//
// The environment that sudo let through is its caller's own. Root's environment, where root names
// another user, is not that user's: the user's command gets only the variables of keep from it,
// beside those that every user has.
func Identity(name string, keep []string) (*live.Identity, error) {
	if name == "" && len(keep) > 0 {
		return nil, command.Usagef("--keep-env does nothing without --user: " +
			"the command gets the whole environment of the user who called ebb")
	}
	for _, variable := range keep {
		if variable == "" || strings.ContainsAny(variable, "=\x00") {
			return nil, command.Usagef("--keep-env: %q is no variable's name", variable)
		}
	}
	if name == "" {
		return caller()
	}
	u, err := user.Lookup(name)
	if err != nil {
		if u, err = user.LookupId(name); err != nil {
			if os.Geteuid() == 0 && (name == "root" || name == "0") {
				return nil, nil // a system without a user database
			}
			return nil, command.Usagef("--user %s: there is no such user", name)
		}
	}
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf(
			"--user %s: only root may run a command as another user: run ebb with sudo", name,
		)
	}
	id, err := identityOf(u)
	if err != nil {
		return nil, fmt.Errorf("--user %s: %w", name, err)
	}
	if id.UID != 0 {
		id.Alone, id.Keep, id.Before = true, keep, os.Environ()
		id.Set["SHELL"] = shellOf(u.Username, "/etc/passwd")
		for _, variable := range keep {
			delete(id.Set, variable)
		}
	}
	return id, nil
}

// shellOf returns a user's shell by a file of users (passwd(5)), which the library does not read.
func shellOf(name, file string) string {
	text, _ := os.ReadFile(file) // other sources may know a user, too
	for line := range strings.Lines(string(text)) {
		const shell, all = 6, 7
		f := strings.Split(strings.TrimRight(line, "\n"), ":")
		if len(f) == all && f[0] == name && f[shell] != "" {
			return f[shell]
		}
	}
	return "/bin/sh"
}

// identityOf returns a user's identity, with groups and environment.
func identityOf(u *user.User) (id *live.Identity, err error) {
	id = &live.Identity{Name: u.Username, Set: map[string]string{"HOME": u.HomeDir,
		"USER": u.Username, "LOGNAME": u.Username}}
	if id.UID, err = number(u.Uid); err != nil {
		return nil, err
	}
	if id.GID, err = number(u.Gid); err != nil {
		return nil, err
	}
	groups, err := u.GroupIds()
	if err != nil {
		return nil, fmt.Errorf("its groups: %w", err)
	}
	for _, g := range groups {
		gid, err := number(g)
		if err != nil {
			return nil, fmt.Errorf("its groups: %w", err)
		}
		id.Groups = append(id.Groups, gid)
	}
	return id, nil
}

func number(id string) (uint32, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(id), 10, 32)
	return uint32(n), err
}
