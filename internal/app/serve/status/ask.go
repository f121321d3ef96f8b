package status

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
	"github.com/ebb-energy/ebb/internal/sandbox/confine"
)

// Status is what a service answers.
type Status struct {
	PID     int         `json:"pid"`
	Tenants api.Tenants `json:"tenants"`
	Domains api.Domains `json:"domains"`
	Energy  api.Energy  `json:"energy"`
}

const (
	patience   = 10 * time.Second // for all answers
	mostAnswer = 16 << 20         // bytes of one: 4,096 tenants take some 3 MB
	mostHeader = 64 << 10
)

// Ask asks the service that listens on a socket. A process that is root is nobody afterwards.
func Ask(ctx context.Context, socket string) (s Status, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, pid, err := Connect(ctx, socket)
	if err != nil {
		return s, err
	}
	defer c.Close() // nothing was written that could be lost
	if err := confine.LeaveRoot(); err != nil {
		return s, fmt.Errorf("give up root before reading answers: %w", err)
	}
	s.PID = pid
	if err := s.read(ctx, c); err != nil {
		return s, fmt.Errorf("ask the ebb that serves on %s: %w", socket, err)
	}
	return s, nil
}

// read takes all answers.
func (s *Status) read(ctx context.Context, c net.Conn) error {
	defer context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })()
	bound := &io.LimitedReader{R: c}
	answers := bufio.NewReader(bound)
	for _, q := range []struct {
		path string
		into any
	}{{api.TenantsPath, &s.Tenants}, {api.DomainsPath, &s.Domains}, {api.EnergyPath, &s.Energy}} {
		bound.N = mostAnswer + mostHeader
		if err := get(c, answers, q.path, q.into); err != nil {
			return err
		}
	}
	return nil
}

// Connect connects to the service that listens on a socket, says its process, and makes sure that root, or the user itself, has made the
// socket.
func Connect(ctx context.Context, socket string) (_ net.Conn, pid int, err error) {
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
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
		_ = c.Close() // nothing was sent
		return nil, 0, err
	}
	return c, pid, nil
}

// get asks for one answer.
func get(c net.Conn, answers *bufio.Reader, path string, into any) error {
	_, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: ebb\r\n\r\n", path)
	if err != nil {
		return err
	}
	answer, err := http.ReadResponse(answers, nil)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errors.New("it does not answer")
	}
	if err != nil {
		return fmt.Errorf("read its answer: %w", err)
	}
	defer answer.Body.Close() // it is read
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err != nil {
		return fmt.Errorf("read its answer: %w", err)
	}
	if answer.StatusCode == http.StatusOK {
		if err := json.Unmarshal(text, into); err != nil {
			return fmt.Errorf("its answer makes no sense: %w", err)
		}
		return nil
	}
	var why api.Error
	if json.Unmarshal(text, &why) != nil || why.Error == "" {
		return fmt.Errorf("it answers with status %d", answer.StatusCode)
	}
	return fmt.Errorf("it answers: %.200s", why.Error)
}
