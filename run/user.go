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

// identity is the user that the run's command is to run as, nil for ebb's own.
func (s *Settings) identity() (*live.Identity, error) {
	switch {
	case s.User != "" && s.attaches():
		return nil, command.Usagef("--user %s: a process that runs already keeps its user", s.User)
	case s.attaches():
		return nil, nil
	}
	return Identity(s.User)
}

// Identity is the user that a command is to run as, nil for ebb's own: the one that --user names,
// otherwise the one who called ebb by sudo. ebb needs root, but most commands do not: as root they
// would leave files that their user cannot change.
func Identity(name string) (*live.Identity, error) {
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
	return id, nil
}

// identityOf has a user's groups and environment.
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
