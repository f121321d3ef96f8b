package front

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/app/serve/api"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// full is a board with all that one can have.
func full(t testing.TB) *board.Board {
	t.Helper()
	b, f, err := board.New()
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	w := board.NewWriter(b, monotonic.Now(), 77)
	allowed := make([]uint32, 100) // in two records
	for i := range allowed {
		allowed[i] = allowedUser - 50 + uint32(i)
	}
	w.Allow(allowed)
	s := w.Service()
	s.State, s.Shadow, s.Rest = board.Governing, true, "highest"
	s.Pending, s.PendingKnown = true, true
	s.Lowest, s.Highest = 1e9, 4e9
	for i, name := range []string{"web", "new", "a\x1b[2J\"\\\n"} {
		n := arbiter.Tenant(i + 1)
		w.Sit(n, name, []string{"slowdown", "fixed", "slowdown"}[i], 0.05)
		if i == 1 {
			continue
		}
		x := w.Tenant(n)
		x.Present, x.Failed, x.Begins = true, i == 2, 1
		x.Short = board.Account{Took: 103, Highest: 100}
		x.Long = board.Account{Took: 99, Highest: 100}
		x.At, x.Wish, x.Got, x.Reason = monotonic.Now(), 2e9, 3e9, "budget"
		w.Ran(n, board.Account{Took: 3e9, Highest: 2e9})
		w.Imposed(n, 5e9, 6e9)
		w.Saved(n, 7e9)
	}
	d := w.Domain(0)
	*d = board.Domain{Asked: 2e9, At: monotonic.Now(), By: "web", Reason: "budget", Reported: 3e9,
		Busy: time.Second, Cycles: 9, Counted: true}
	w.Domain(1)
	w.StoreDomains()
	at := monotonic.Now() - units.Instant(2*time.Second)
	w.Meter("package-0", "package", "powercap", 1e9, at)
	w.Meter("package-0", "package", "powercap", 3e9, at.Add(time.Second))
	w.Decide(&board.Decision{Tenant: "web", At: monotonic.Now(), Chosen: 2e9, Reason: "budget"})
	w.Decide(&board.Decision{Tenant: "web", At: monotonic.Now(), Result: board.Hole, Slack: -5})
	w.Flush(9, func(arbiter.Tenant, *board.Tenant) {})
	w.Say(monotonic.Now())
	return b
}

// empty is the board of a service that has just begun.
func empty(t testing.TB) *board.Board {
	t.Helper()
	b, f, err := board.New()
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	board.NewWriter(b, monotonic.Now(), -1)
	return b
}

// served has a board's server listen on a socket, for peers as who says.
func served(t testing.TB, b *board.Board, who func(net.Conn) (peer, error)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(b)
	h := httpServer(s.answer)
	h.IdleTimeout = time.Minute // a busy machine's test opens connections for longer than others
	g := newGate(l, who)
	g.reads, g.leases = s.reads, s.leases
	done := make(chan error)
	go func() { done <- h.Serve(g) }()
	t.Cleanup(func() {
		h.Close()
		<-done
	})
	return path
}

// allowedUser is one of several users who may take leases.
const allowedUser = 1050

func asRoot(net.Conn) (peer, error) { return peer{uid: 0}, nil }

// ask asks on a socket, by a method and with a body.
func ask(t testing.TB, socket, method, path string, body io.Reader,
) (status int, kind, text string) {
	t.Helper()
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := http.NewRequest(method, "http://x"+path, body)
	if err != nil {
		t.Fatal(err)
	}
	go r.Write(c)
	a, err := http.ReadResponse(bufio.NewReader(c), r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	kind, _, _ = strings.Cut(a.Header.Get("Content-Type"), ";")
	return a.StatusCode, kind, string(b)
}

var paths = []string{api.HealthPath, api.TenantsPath, api.DomainsPath, api.DecisionsPath,
	api.EnergyPath, api.MetricsPath}

// TestAnswersAreDescribed: the document describes every answer, of a service that knows all and of
// one that knows nothing, and every error.
func TestAnswersAreDescribed(t *testing.T) {
	d := readDocument(t)
	if n := len(d.at(d.root, "paths").(map[string]any)); n != len(paths)+1 { // and LeasePath
		t.Errorf("%d paths are described, not %d", n, len(paths)+1)
	}
	dead := &board.Board{}
	if b, f, err := board.New(); err == nil {
		dead = b
		f.Close()
	}
	for name, b := range map[string]*board.Board{"full": full(t), "empty": empty(t), "dead": dead} {
		socket := served(t, b, asRoot)
		for _, p := range append(paths, "/", "/v1/", "/v1/../metrics", "//metrics",
			"/v1/tenants/web") {
			for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "TRACE"} {
				status, kind, text := ask(t, socket, method, p, nil)
				want := map[bool]int{true: 200, false: 405}[method == "GET" || method == "HEAD"]
				switch {
				case want == 200 && name == "dead":
					want = 503
				case want == 200 && d.at(d.root, "paths", p) == nil:
					want = 404
				}
				if status != want {
					t.Errorf("%s: %s %s: status %d, not %d: %s", name, method, p, status, want,
						text)
				}
				if method == "HEAD" {
					continue
				}
				if err := d.check(method, p, status, kind, []byte(text)); err != nil {
					t.Errorf("%s: %s: %v\n%s", name, method, err, text)
				}
			}
		}
	}
}

// TestWhoMayRead: root and the group all, anybody else one word.
func TestWhoMayRead(t *testing.T) {
	for _, c := range []struct {
		who  peer
		full bool
		may  bool
	}{
		{peer{uid: 0}, true, true}, {peer{uid: 5, gid: 77}, true, true},
		{peer{uid: 5, gid: 5, groups: []uint32{1, 77}}, true, true},
		{peer{uid: 5, gid: 5, groups: []uint32{1}}, true, false}, {peer{uid: 5}, true, false},
		{peer{uid: 5, gid: 77}, false, false}, // there is no such group
		{peer{uid: 5, gid: 1<<32 - 1, groups: []uint32{1<<32 - 1}}, false, false},
	} {
		b := empty(t)
		if c.full {
			b = full(t)
		}
		socket := served(t, b, func(net.Conn) (peer, error) { return c.who, nil })
		for _, p := range paths {
			status, _, text := ask(t, socket, "GET", p, nil)
			if want := c.may || p == api.HealthPath; (status == 200) != want ||
				!want && (status != 403 || strings.Contains(text, "web")) {
				t.Errorf("%+v: %s: %d, %s", c.who, p, status, text)
			}
		}
	}
}

// TestMetrics: promtool takes them, names that are none are escaped, and what is not known is
// absent.
func TestMetrics(t *testing.T) {
	_, kind, all := ask(t, served(t, full(t), asRoot), "GET", api.MetricsPath, nil)
	for _, line := range []string{
		`ebb_tenant_reference_seconds_total{tenant="web"} 2`,
		`ebb_tenant_excess_seconds_total{tenant="web"} 1`,
		`ebb_tenant_budget_ratio{tenant="web"} 0.05`,
		`ebb_tenant_reference_seconds_total{tenant="new"} 0`,
		`ebb_tenant_imposed_joules_total{tenant="web",source="model"} 5`,
		`ebb_tenant_saved_joules_total{tenant="web",source="model"} 7`,
		"ebb_tenant_excess_seconds_total{tenant=\"a\x1b[2J\\\"\\\\\\n\"} 1",
		`ebb_domain_cycles_total{domain="0"} 9`, `ebb_domain_busy_seconds_total{domain="0"} 1`,
		`ebb_energy_joules_total{zone="package-0",source="powercap"} 3`,
		`ebb_restore_pending 1`, `ebb_shadow 1`, `ebb_lost_records_total 0`,
	} {
		if !strings.Contains(all, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, all)
		}
	}
	for _, absent := range []string{`budget_ratio{tenant="new"`,
		`imposed_joules_total{tenant="new"`, `saved_joules_total{tenant="new"`,
		`cycles_total{domain="1"`} {
		if strings.Contains(all, absent) {
			t.Errorf("%s is there", absent)
		}
	}
	_, _, none := ask(t, served(t, empty(t), asRoot), "GET", api.MetricsPath, nil)
	if strings.Contains(none, "{tenant") || strings.Contains(none, "restore") ||
		kind != "text/plain" {
		t.Errorf("%s of nothing: %s", kind, none)
	}
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool checks the format: ", err)
	}
	for _, text := range []string{all, none} {
		cmd := exec.CommandContext(t.Context(), tool, "check", "metrics")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v, %s", err, out)
		}
	}
}

// TestLoopback: over the loopback device there is nothing but metrics, and a page of another host's
// reads none by a name of its own.
func TestLoopback(t *testing.T) {
	s := newServer(full(t))
	for host, status := range map[string]int{"127.0.0.1:9323": 200, "[::1]:9323": 200,
		"localhost:1": 200, "localhost": 200, "127.3.2.1": 200, "evil.example:9323": 403,
		"10.0.0.1:9323": 403, "": 403, "localhost.evil.example": 403} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host = host
		w := httptest.NewRecorder()
		s.answerLoopback(w, r)
		if w.Code != status || (status == 200) != strings.Contains(w.Body.String(), "web") {
			t.Errorf("%q: %d", host, w.Code)
		}
	}
	for _, p := range paths[:5] {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", p, nil)
		r.Host = "localhost"
		if s.answerLoopback(w, r); w.Code != 404 {
			t.Errorf("%s: %d", p, w.Code)
		}
	}
}

// TestBodies: one is bounded, whatever it says its length is.
func TestBodies(t *testing.T) {
	socket := served(t, full(t), asRoot)
	for n, want := range map[int]int{0: 200, mostBody: 200, mostBody + 1: 413, 10 * mostBody: 413} {
		for _, body := range []io.Reader{bytes.NewReader(make([]byte, n)),
			io.LimitReader(neverEnding{}, int64(n))} {
			if status, _, text := ask(t, socket, "GET", api.HealthPath, body); status != want {
				t.Errorf("%d bytes: %d, %s", n, status, text)
			}
		}
	}
}

// FuzzRequest: whatever is sent, the server answers in HTTP or not at all, and goes on.
func FuzzRequest(f *testing.F) {
	b := full(f)
	for _, text := range []string{"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01", "GET",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET http://x/v1/tenants HTTP/1.0\r\n\r\n",
		"POST /v1/lease HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n",
		"GET /v1/health HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"} {
		f.Add([]byte(text))
	}
	socket := served(f, b, asRoot)
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = c.Write(text) // it may be refused in the middle
		_ = c.(*net.UnixConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c)
		if status, _, _ := ask(t, socket, "GET", api.HealthPath, nil); status != 200 {
			t.Errorf("then %d", status)
		}
	})
}
