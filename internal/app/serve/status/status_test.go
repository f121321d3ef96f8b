package status

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
)

// answered reads the status from something that writes a text whatever it is asked.
func answered(t *testing.T, text string, patience time.Duration) (s status, err error) {
	t.Helper()
	mine, theirs := net.Pipe()
	defer mine.Close()
	go func() {
		defer theirs.Close()
		buf := make([]byte, 4096)
		for {
			if _, err := theirs.Read(buf); err != nil {
				return
			}
			if text == "" {
				continue
			}
			if _, err := theirs.Write([]byte(text)); err != nil {
				return
			}
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return s, newClient("", 0, mine).read(ctx, &s)
}

func ok(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// TestAnswers: whatever the other side says, it is an answer or one sentence.
func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":      {"", "does not answer"},
		"no HTTP":      {"hello\r\n\r\n", "read its answer"},
		"no JSON":      {ok("{"), "makes no sense"},
		"another JSON": {ok(`{"tenants": 7}`), "makes no sense"},
		"a fault": {"HTTP/1.1 403 F\r\nContent-Length: 15\r\n\r\n{\"error\":\"why\"}",
			"answers: why"},
		"another fault": {"HTTP/1.1 500 F\r\nContent-Length: 2\r\n\r\n{}", "status 500"},
		"too short": {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\n{}",
			""},
	} {
		patience := time.Minute
		if name == "nothing" || name == "too short" {
			patience = 50 * time.Millisecond
		}
		_, err := answered(t, c.text, patience)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := answered(t, ok(`{}`), time.Minute); err != nil {
		t.Errorf("of nothing: %v", err)
	}
}

// TestHeaderWithoutEnd: it is read up to a bound.
func TestHeaderWithoutEnd(t *testing.T) {
	mine, theirs := net.Pipe()
	written := make(chan int)
	go func() {
		n, err := theirs.Write([]byte("HTTP/1.1 200 OK\r\nX: "))
		for line := bytes.Repeat([]byte{'x'}, 1<<20); err == nil; {
			more := 0
			more, err = theirs.Write(line)
			n += more
		}
		written <- n
	}()
	go func() {
		for { // the question
			if _, err := theirs.Read(make([]byte, 1<<10)); err != nil {
				return
			}
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := newClient("", 0, mine).read(ctx, &status{})
	mine.Close()
	if n := <-written; err == nil || !strings.Contains(err.Error(), "read its answer") ||
		n > mostAnswer+mostHeader+1<<20 {
		t.Errorf("%v after %d bytes", err, n)
	}
	theirs.Close()
}

// TestShow: 80 columns, what is not known is a dash, and no name is a command to a terminal.
func TestShow(t *testing.T) {
	x := func(v float64) *float64 { return &v }
	yes, saved := true, int64(12_345_678_900)
	s := status{PID: 7}
	s.Tenants.Service = api.Service{Health: "governing", Shadow: true, RestorePending: &yes,
		UptimeNS: int64(90 * time.Minute)}
	s.Tenants.Tenants = []api.Tenant{
		{Name: "web", State: "present", Objective: "slowdown", SlowdownBudget: x(0.05),
			Burnt10s: x(0.42), Slowdown10s: x(0.021), WishedHz: 2.4e9, Reason: "budget",
			SavedNJ: &saved},
		{Name: "evil\x1b[2J\u202e\r\n" + strings.Repeat("n", 200), State: "\x1b]0;x\a",
			Objective: "fixed", Slowdown5min: x(-0.01)},
	}
	s.Domains.Domains = []api.Domain{{Domain: "0", AskedHz: 2.4e9, ReportedHz: 3e9,
		By: "web\x1b[31m", Reason: "budget", Refused: true}}
	s.Domains.Shadow = true
	s.Energy.Zones = []api.Zone{{Zone: "package-0\x1b", PowerW: x(23.4)}, {Zone: "dram"}}
	var b bytes.Buffer
	if err := s.Show(&b, Width); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"ebb (pid 7) governs 2 tenants, in shadow mode",
		"sudo ebb restore", "42 %", "2.4 GHz", "-1.0 %", "highest", "refused", "23.4",
		"would ask"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > Width {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	if strings.ContainsAny(text, "\x1b\a\r\u202e") || strings.Contains(text, "dram") {
		t.Errorf("%q", text)
	}
	b.Reset()
	s.Tenants.Tenants = s.Tenants.Tenants[:1]
	if err := s.Show(&b, Width); err != nil || !strings.Contains(b.String(), "12.35 J") {
		t.Errorf("no saved energy in\n%s, %v", b.String(), err)
	}
	for health, want := range map[string]string{"idle": "has no tenant", "ending": "is ending",
		"\x1b[2J": `is \x1b[2J`} {
		b.Reset()
		s = status{}
		s.Tenants.Service.Health = health
		if err := s.Show(&b, Width); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%q: %q, %v", health, b.String(), err)
		}
	}
	if text, err := json.Marshal(&s); err != nil || !strings.Contains(string(text), `"pid":0`) {
		t.Errorf("%s, %v", text, err)
	}
}

// FuzzAnswers: an answer of any kind ends in an error, or in a status without commands to a
// terminal.
func FuzzAnswers(f *testing.F) {
	f.Add(ok(`{"tenants":[{"name":"a"}],"zones":[{"power_w":1}],"domains":[{}]}`))
	f.Fuzz(func(t *testing.T, text string) {
		s, err := answered(t, text, 100*time.Millisecond)
		if err != nil {
			return
		}
		var b bytes.Buffer
		const obeyed = "\x1b\a\r\u202e\u009b"
		if err := s.Show(&b, Width); err != nil || strings.ContainsAny(b.String(), obeyed) {
			t.Errorf("%q, %v", b.String(), err)
		}
	})
}
