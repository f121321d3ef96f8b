package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// AllowedName is the name of a socket beside the service's, for root and those whom root allows.
// The kernel keeps others from it.
const AllowedName = "allowed.sock"

// Dial connects to the service that listens on a socket, or on that of the allowed beside it, and
// returns the service's process id. It makes sure that root, or the user itself, has made the
// socket.
func Dial(ctx context.Context, socket string) (_ net.Conn, pid int, err error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", filepath.Join(filepath.Dir(socket), AllowedName))
	if err != nil { // it is not for this user, is not there, or has as many as may wait
		c, err = d.DialContext(ctx, "unix", socket)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ECONNREFUSED):
		return nil, 0, fmt.Errorf("no ebb serves on %s", socket)
	case errors.Is(err, fs.ErrPermission):
		return nil, 0, fmt.Errorf("%s is not for this user: %w", socket, fs.ErrPermission)
	case err != nil:
		return nil, 0, fmt.Errorf("ask the ebb that serves on %s: %w", socket, err)
	}
	raw, err := c.(*net.UnixConn).SyscallConn()
	if err == nil {
		var cred *unix.Ucred
		failed := raw.Control(func(fd uintptr) {
			cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		})
		err = errors.Join(failed, err)
		if err == nil {
			pid = int(cred.Pid)
			if cred.Uid != 0 && int(cred.Uid) != os.Geteuid() {
				err = fmt.Errorf("%s is user %d's, not root's", socket, cred.Uid)
			}
		}
	}
	if err != nil {
		_ = c.Close() // nothing was sent that could be lost
		return nil, 0, err
	}
	return c, pid, nil
}
