package status

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
	"github.com/ebb-energy/ebb/internal/sandbox/confine"
)

// status holds the answers of a service.
type status struct {
	PID     int         `json:"pid"`
	Tenants api.Tenants `json:"tenants"`
	Domains api.Domains `json:"domains"`
	Energy  api.Energy  `json:"energy"`
}

const (
	patience   = 10 * time.Second // bound of the time for all answers
	mostAnswer = 16 << 20         // bytes of one: 4,096 tenants take some 3 MB
	mostHeader = 64 << 10
)

// Client asks a service over one connection.
type Client struct {
	socket  string
	pid     int
	c       net.Conn
	bound   *io.LimitedReader // bound of one answer
	answers *bufio.Reader
}

func newClient(socket string, pid int, c net.Conn) *Client {
	bound := &io.LimitedReader{R: c}
	return &Client{socket, pid, c, bound, bufio.NewReader(bound)}
}

// Connect connects to the service that listens on a socket. A process that is root becomes nobody,
// and cannot connect again. The caller must call Close in the end.
func Connect(ctx context.Context, socket string) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, pid, err := api.Dial(ctx, socket)
	if err != nil {
		return nil, err
	}
	if err := confine.LeaveRoot(); err != nil {
		_ = c.Close() // nothing was sent that could be lost
		return nil, fmt.Errorf("give up root before reading answers: %w", err)
	}
	return newClient(socket, pid, c), nil
}

// Ask asks the service for its state.
func (c *Client) Ask(ctx context.Context) (s status, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s.PID = c.pid
	if err := c.read(ctx, &s); err != nil {
		return s, fmt.Errorf("ask the ebb that serves on %s: %w", c.socket, err)
	}
	return s, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.c.Close() }

// read takes all answers.
func (c *Client) read(ctx context.Context, s *status) error {
	defer context.AfterFunc(ctx, func() { _ = c.c.SetDeadline(time.Unix(1, 0)) })()
	for _, q := range []struct {
		path string
		into any
	}{{api.TenantsPath, &s.Tenants}, {api.DomainsPath, &s.Domains}, {api.EnergyPath, &s.Energy}} {
		c.bound.N = mostAnswer + mostHeader
		if err := get(c.c, c.answers, q.path, q.into); err != nil {
			return err
		}
	}
	return nil
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
	defer answer.Body.Close() // it was read
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
