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

// identity is the user that the command is to run as, nil for ebb's own. ebb needs root, but most
// commands do not: as root they would leave files that their user cannot change.
func (s *Settings) identity() (*live.Identity, error) {
	if s.User == "" {
		return nil, nil
	}
	if s.attaches() {
		return nil, command.Usagef("--user %s: a process that runs already keeps its user", s.User)
	}
	u, err := user.Lookup(s.User)
	if err != nil {
		if u, err = user.LookupId(s.User); err != nil {
			return nil, command.Usagef("--user %s: there is no such user", s.User)
		}
	}
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf(
			"--user %s: only root may run a command as another user: run ebb with sudo", s.User,
		)
	}
	id := &live.Identity{Set: map[string]string{"HOME": u.HomeDir,
		"USER": u.Username, "LOGNAME": u.Username}}
	if id.UID, err = number(u.Uid); err != nil {
		return nil, fmt.Errorf("--user %s: %w", s.User, err)
	}
	if id.GID, err = number(u.Gid); err != nil {
		return nil, fmt.Errorf("--user %s: %w", s.User, err)
	}
	groups, err := u.GroupIds()
	if err != nil {
		return nil, fmt.Errorf("--user %s: its groups: %w", s.User, err)
	}
	for _, g := range groups {
		gid, err := number(g)
		if err != nil {
			return nil, fmt.Errorf("--user %s: its groups: %w", s.User, err)
		}
		id.Groups = append(id.Groups, gid)
	}
	return id, nil
}

func number(id string) (uint32, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(id), 10, 32)
	return uint32(n), err
}
