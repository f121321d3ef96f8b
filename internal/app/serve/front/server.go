package front

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// Bounds of a request and of its answer.
const (
	headerTime  = 5 * time.Second
	requestTime = 10 * time.Second
	answerTime  = 10 * time.Second
	idleTime    = 10 * time.Second
	mostHeader  = 16 << 10
	mostBody    = 64 << 10
)

// server answers requests.
type server struct {
	board  *board.Board
	lender *lender
}

func newServer(b *board.Board) *server { return &server{board: b} }

// serve answers on one of the service's sockets.
func (s *server) serve(l net.Listener, p *places) error {
	g := newGate(l, peerOf)
	g.places = p
	g.reads, g.leases = s.reads, s.leases
	return httpServer(s.answer).Serve(g)
}

// reads reports whether a peer may read more than the health.
func (s *server) reads(p *peer) bool {
	of, ok := s.board.Service()
	return ok && p.mayRead(of.Group)
}

// leases reports whether a peer is one of the users who may take leases.
func (s *server) leases(p *peer) bool { may, _ := s.board.MayLease(p.uid); return may }

// serveLoopback answers with metrics, to every local user.
func (s *server) serveLoopback(l net.Listener) error {
	local := func(net.Conn) (peer, error) { return peer{uid: 1}, nil } // all local users are one
	return httpServer(s.answerLoopback).Serve(newGate(l, local))
}

// peerKey is the key of a connection, a *visitor, in a context.
type peerKey struct{}

func httpServer(answer http.HandlerFunc) *http.Server {
	return &http.Server{Handler: answer, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime,
		WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: mostHeader,
		ErrorLog: log.New(io.Discard, "", 0), // errors of strangers are not logged
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, peerKey{}, c.(*visitor))
		}}
}

// fault is an error with its HTTP status.
type fault struct {
	status int
	text   string
}

func (f *fault) Error() string { return f.text }

// answer answers a request on the service's socket.
func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == api.LeasePath {
		s.lease(w, r)
		return
	}
	say(w, r, func() (any, error) {
		now, of := monotonic.Now(), &board.Service{}
		var ok bool
		if *of, ok = s.board.Service(); !ok {
			return nil, &fault{http.StatusServiceUnavailable, "the service says nothing"}
		}
		p := r.Context().Value(peerKey{}).(*visitor)
		answers := map[string]func() any{
			api.TenantsPath:   func() any { return api.TenantsOf(s.board, of, now) },
			api.DomainsPath:   func() any { return api.DomainsOf(s.board, of, now) },
			api.DecisionsPath: func() any { return api.DecisionsOf(s.board, of, now) },
			api.EnergyPath:    func() any { return api.EnergyOf(s.board, of, now) },
			api.MetricsPath:   func() any { return metrics(s.board, of) },
		}
		if r.URL.Path == api.HealthPath {
			return api.HealthOf(of), nil
		}
		answer := answers[r.URL.Path]
		switch {
		case answer == nil:
			return nil, &fault{http.StatusNotFound, "there is nothing at this path"}
		case !p.mayRead(of.Group):
			return nil, &fault{http.StatusForbidden, "this is for root and the group ebb; " +
				api.HealthPath + " is for everybody"}
		}
		return answer(), nil
	})
}

// answerLoopback answers a request over the loopback device. The page of another host in a local
// user's browser could reach this address by a name of its own. It gets nothing.
func (s *server) answerLoopback(w http.ResponseWriter, r *http.Request) {
	say(w, r, func() (any, error) {
		of, ok := s.board.Service()
		switch {
		case !ok:
			return nil, &fault{http.StatusServiceUnavailable, "the service says nothing"}
		case r.URL.Path != api.MetricsPath:
			return nil, &fault{http.StatusNotFound, "there is nothing but " + api.MetricsPath +
				" at this address"}
		case !isLoopback(r.Host):
			return nil, &fault{http.StatusForbidden, "ask for it at a loopback address"}
		}
		return metrics(s.board, &of), nil
	})
}

// isLoopback reports whether a request's host names this machine by the loopback device.
func isLoopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	a, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && a.IsLoopback()
}

// say answers with the result of find. A body is read up to a bound, and means nothing.
func say(w http.ResponseWriter, r *http.Request, find func() (any, error)) {
	w.Header().Set("Cache-Control", "no-store")
	found, err := any(nil), error(nil)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		err = &fault{http.StatusMethodNotAllowed, "there is only GET"}
	} else if _, readErr := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body,
		mostBody)); readErr != nil {
		err = &fault{http.StatusBadRequest, "the body cannot be read"}
		if errors.As(readErr, new(*http.MaxBytesError)) {
			err = errTooLong
		}
	} else {
		found, err = find()
	}
	if text, is := found.(exposition); is && err == nil {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(text) // the peer may have gone
		return
	}
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(found)
}

var errTooLong = &fault{http.StatusRequestEntityTooLarge, "a body has at most 64 KiB"}

// refuse answers with a fault.
func refuse(w http.ResponseWriter, err error) {
	f := &fault{status: http.StatusInternalServerError}
	errors.As(err, &f)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	_ = json.NewEncoder(w).Encode(api.Error{Error: f.text})
}
