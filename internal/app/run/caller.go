package run

import (
	"os"
	"os/user"
	"slices"
	"strconv"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/command"
)

// sudoVariables are the variables that sudo adds to the environment (sudo(8)), and the mail of
// root. A command that runs as the caller would take them for signs that it runs as root.
var sudoVariables = []string{"SUDO_USER", "SUDO_UID", "SUDO_GID", "SUDO_COMMAND", "SUDO_HOME",
	"SUDO_TTY", "MAIL", "USERNAME"}

// caller returns the user who called ebb by sudo, nil for ebb's own user: ebb is not root, root
// itself called sudo, or nobody did.
//
// sudo's variables only choose a user. The system's user database says who that is and which groups
// it has. Where the two contradict each other the run ends before anything starts, because the
// other choice would be root.
func caller() (*live.Identity, error) {
	uid, called := os.LookupEnv("SUDO_UID")
	if !called || os.Geteuid() != 0 {
		return nil, nil
	}
	doubt := func(format string, args ...any) (*live.Identity, error) {
		return nil, command.Usagef("run the command as the user who called sudo: "+format+
			"; --user NAME says which user is meant, --user root keeps root", args...)
	}
	n, err := strconv.ParseUint(uid, 10, 32)
	if err != nil || n == 1<<32-1 { // setuid(2) takes this number for "unchanged"
		return doubt("SUDO_UID is %q, which is no user's number", uid)
	}
	if n == 0 {
		return nil, nil
	}
	u, err := user.LookupId(uid)
	if name := os.Getenv("SUDO_USER"); err == nil && name != "" && name != u.Username {
		// Several names may share a number.
		if u, err = user.Lookup(name); err == nil && u.Uid != uid {
			return doubt("SUDO_USER is %q, whose number is %s, but SUDO_UID is %s", name, u.Uid,
				uid)
		}
	}
	if err != nil {
		return doubt("%w", err)
	}
	id, err := identityOf(u)
	if err != nil {
		return doubt("%s: %w", u.Username, err)
	}
	if group := os.Getenv("SUDO_GID"); group != "" {
		// The group may be another of the user's, after newgrp(1).
		gid, err := number(group)
		if err != nil || gid != id.GID && !slices.Contains(id.Groups, gid) {
			return doubt("SUDO_GID is %q, which is no group of %s", group, u.Username)
		}
		id.GID = gid
	}
	id.Unset = sudoVariables
	return id, nil
}
