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
	"github.com/ebb-energy/ebb/internal/app/serve/dial"
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
	c, pid, err := dial.Connect(ctx, socket)
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
