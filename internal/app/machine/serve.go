package machine

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

const (
	// mostCallers bounds the connections that are answered at a time. mostRequest bounds the bytes
	// that are read of a request, and answerFor the time for request and answer.
	mostCallers = 8
	mostRequest = 8 << 10
	answerFor   = 2 * time.Second
	// retryFirst and retryLast bound the wait before a connection is asked for again that the
	// kernel refused, because there are too many descriptors or a caller was gone.
	retryFirst, retryLast = 5 * time.Millisecond, time.Second
)

// server answers whoever connects with the newest metrics, over HTTP. It parses no request: it
// reads up to the empty line that ends one, and there is one answer to all.
type server struct {
	listener net.Listener
	asked    chan chan<- []byte // requests; each gets the metrics

	mu      sync.Mutex
	callers []*caller // callers being answered, the oldest first
}

// caller is a connection that is answered. Gone is closed when it gives way to a newer one.
type caller struct {
	conn net.Conn
	gone chan struct{}
}

// listen serves metrics at a loopback address.
func listen(address string) (*server, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve metrics: %w", err)
	}
	s := &server{listener: l, asked: make(chan chan<- []byte)}
	go s.accept()
	return s, nil
}

// requests returns the channel of requests for metrics; nil without a server.
func (s *server) requests() <-chan chan<- []byte {
	if s == nil {
		return nil
	}
	return s.asked
}

func (s *server) accept() {
	retry := retryFirst
	for {
		c, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(retry)
			retry = min(2*retry, retryLast)
			continue
		}
		retry = retryFirst
		one := &caller{c, make(chan struct{})}
		s.enter(one)
		go func() {
			defer s.leave(one)
			s.answer(one)
		}()
	}
}

// enter adds a caller. Where there are too many, the oldest gives way: it is the slowest, and
// somebody who connects and says nothing must not keep others away.
func (s *server) enter(c *caller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.callers) == mostCallers {
		oldest := s.callers[0]
		s.callers = slices.Delete(s.callers, 0, 1)
		close(oldest.gone)
		oldest.conn.Close()
	}
	s.callers = append(s.callers, c)
}

func (s *server) leave(c *caller) {
	c.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.callers, c); i >= 0 {
		s.callers = slices.Delete(s.callers, i, i+1)
	}
}

// answer writes the metrics. The answer to a caller that takes too long is cut.
func (s *server) answer(from *caller) {
	c := from.conn
	if c.SetDeadline(time.Now().Add(answerFor)) != nil {
		return
	}
	request := make([]byte, 0, mostRequest)
	for !bytes.Contains(request, []byte("\r\n\r\n")) {
		if len(request) == cap(request) {
			return
		}
		n, err := c.Read(request[len(request):cap(request)])
		request = request[:len(request)+n]
		if err != nil {
			return
		}
	}
	reply := make(chan []byte, 1)
	select {
	case s.asked <- reply:
	case <-from.gone:
		return
	case <-time.After(answerFor):
		return // ebb ends
	}
	text := <-reply
	answer := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; "+
		"charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", len(text))
	_, _ = c.Write(append(answer, text...)) // nobody is left who could learn of an error
}

func (s *server) close() error { return s.listener.Close() }
