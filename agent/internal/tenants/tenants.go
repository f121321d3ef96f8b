// Package tenants makes pods tenants of the node's ebb serve, by its socket: those whose owners ask
// for a budget by an annotation. Whether a pod gets one is the service's to decide, by its
// namespace.
package tenants

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// look is the time between two checks of who wishes.
	look = 2 * time.Second
	// soon and late are the times after which a wish that was refused, or whose lease has ended, is
	// said again: each is twice the one before.
	soon = time.Second
	late = 16 * time.Second
	// patience bounds the wait for an answer: a service that governs nothing yet has to begin.
	patience = 40 * time.Second
	// mostWishes bounds the pods that ask at a time. The service gives 16 leases, which namespaces
	// share.
	mostWishes = 250
	mostAnswer = 8 << 10 // bytes
)

// Source knows which pods wish.
type Source interface{ Wishes() []Wish }

// Keeper holds a lease of the service for each pod that wishes for one and may have it.
type Keeper struct {
	socket string
	source Source
	log    io.Writer

	look, soon, late time.Duration

	mu   sync.Mutex
	kept map[Wish]*kept
}

// New returns a keeper. Socket is the service's, and log takes a line where a pod's state changes.
func New(socket string, source Source, log io.Writer) *Keeper {
	return &Keeper{socket: socket, source: source, log: log, look: look, soon: soon, late: late,
		kept: map[Wish]*kept{}}
}

// Run keeps leases until the context ends, and gives all back then.
func (k *Keeper) Run(ctx context.Context) {
	timer := time.NewTicker(k.look)
	defer timer.Stop()
	for {
		k.adjust(ctx)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

// adjust begins to keep wishes that are new, and ends those that are no more: a lease lasts as long
// as its connection.
func (k *Keeper) adjust(ctx context.Context) {
	there := map[Wish]bool{}
	for _, w := range k.source.Wishes() {
		there[w] = true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for w, one := range k.kept {
		if !there[w] {
			one.end()
			delete(k.kept, w)
		}
	}
	for w := range there {
		if k.kept[w] == nil && len(k.kept) < mostWishes {
			k.begin(ctx, w, 0)
		}
	}
	k.share(ctx)
}

// begin keeps a wish, which is said after a pause.
func (k *Keeper) begin(ctx context.Context, w Wish, pause time.Duration) {
	one := &kept{now: make(chan struct{}, 1)}
	ctx, one.end = context.WithCancel(ctx)
	k.kept[w] = one
	go func() {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		k.keep(ctx, w, one)
	}()
}

// keep holds a pod's lease for as long as it wishes for it.
func (k *Keeper) keep(ctx context.Context, w Wish, one *kept) {
	said := ""
	say := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != said {
			fmt.Fprintf(k.log, "ebb-agent: %.70q, pod %.260q: %s\n", w.Namespace, w.Pod, text)
			said = text
		}
	}
	for pause := k.soon; ctx.Err() == nil; pause = min(2*pause, k.late) {
		for !k.may(one) && ctx.Err() == nil {
			one.wait(ctx, k.soon)
		}
		lease, err := k.take(ctx, &w)
		k.answered(one, err)
		if err == nil {
			say("a tenant of ebb serve, at most %s slower", w.Slowdown)
			stop := context.AfterFunc(ctx, func() { _ = lease.Close() })
			_, _ = lease.Read(make([]byte, 1)) // the service says nothing more, and closes its end
			stop()
			_ = lease.Close()
			pause, err = k.soon, errors.New("the lease has ended")
			k.answered(one, err)
		}
		if ctx.Err() != nil {
			return
		}
		say("no tenant: %v", err)
		if one.wait(ctx, pause) {
			pause = k.soon
		}
	}
}

// take takes a lease of the pod's cgroup, at the place at which it is.
func (k *Keeper) take(ctx context.Context, w *Wish) (lease net.Conn, err error) {
	err = errors.New("neither its uid nor its class of service says where its cgroup is")
	for _, path := range w.cgroups() {
		var no refusal
		lease, err = k.ask(ctx, w, path)
		if !errors.As(err, &no) || !strings.HasSuffix(string(no), noPod) {
			break // any other reason holds at the other place as well
		}
	}
	return lease, err
}

// refusal is the service's reason for giving no lease.
type refusal string

func (r refusal) Error() string { return fmt.Sprintf("%.300q", string(r)) }

// allowedName is the name of the socket beside the service's for those whom root allows. Strangers
// cannot fill its queue.
const allowedName = "allowed.sock"

// noPod ends the reason where a pod's cgroup is not at the place that was named.
const noPod = "or it is no pod's"

// ask asks for a lease of one cgroup. A refused connection is of no more use.
func (k *Keeper) ask(ctx context.Context, w *Wish, path string) (_ net.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", filepath.Join(filepath.Dir(k.socket), allowedName))
	if err != nil { // it is not for this user, is not there, or has as many as may wait
		c, err = d.DialContext(ctx, "unix", k.socket)
	}
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := wish(c, w, path); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// wish sends the wish and reads the answer.
func wish(c net.Conn, w *Wish, path string) error {
	body, err := json.Marshal(map[string]string{"slowdown": w.Slowdown, "cgroup": path,
		"namespace": w.Namespace})
	if err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, "http://ebb/v1/lease", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if err := r.Write(c); err != nil {
		return err
	}
	answer, err := http.ReadResponse(bufio.NewReader(io.LimitReader(c, mostAnswer)), r)
	if err != nil {
		return fmt.Errorf("its answer makes no sense: %w", err)
	}
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	var said struct{ Error string }
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil || said.Error == "" {
		return fmt.Errorf("status %d without a reason", answer.StatusCode)
	}
	return refusal(said.Error)
}
