package status

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/vt"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// shown is a Top that runs on an emulated terminal.
type shown struct {
	*testing.T
	term  vt.MockTerm
	ended chan error
	size  vt.Coord
	fails chan error
	end   context.CancelFunc
}

// show runs a Top of 40 tenants, of whom the last has used most of its budget.
func show(t *testing.T, columns, rows vt.Col) *shown {
	t.Helper()
	s := &shown{T: t, size: vt.Coord{X: columns, Y: vt.Row(rows)}, ended: make(chan error, 1),
		fails: make(chan error, 1)}
	s.term = vt.NewMockTerm(vt.MockOptSize(s.size))
	screen, err := tcell.NewTerminfoScreenFromTty(s.term)
	if err != nil {
		t.Fatal(err)
	}
	answer := status{PID: 7}
	answer.Tenants.Service.Health = "governing"
	for i := range 40 {
		budget, burnt := 0.05, float64(i)/100
		answer.Tenants.Tenants = append(answer.Tenants.Tenants, api.Tenant{State: "present",
			Name: fmt.Sprintf("t%02d\x1b[2J\u202e", i), SlowdownBudget: &budget, Burnt10s: &burnt})
	}
	top := &Top{screen: screen, ask: func(context.Context) (status, error) {
		select {
		case err := <-s.fails:
			return status{}, err
		default:
			return answer, nil
		}
	}}
	ctx, cancel := context.WithCancel(t.Context())
	s.end = cancel
	go func() { s.ended <- top.Run(ctx) }()
	return s
}

// text is what the screen shows.
func (s *shown) text() string {
	var b strings.Builder
	for y := range s.size.Y {
		for x := range s.size.X {
			if c := s.term.GetCell(vt.Coord{X: x, Y: y}).C; c != "" {
				b.WriteString(c)
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// waits returns when the screen shows a text, and another no more.
func (s *shown) waits(want, without string) {
	s.Helper()
	for end := time.Now().Add(devtest.Hung); ; time.Sleep(5 * time.Millisecond) {
		text := s.text()
		if strings.Contains(text, want) && (without == "" || !strings.Contains(text, without)) {
			return
		}
		if time.Now().After(end) {
			s.Fatalf("no %q, or %q, in\n%s", want, without, text)
		}
	}
}

// TestTop: the tenant that has used most comes first, keys scroll, a new size is used, and no name
// is a command to the terminal.
func TestTop(t *testing.T) {
	s := show(t, 80, 24)
	s.waits("ebb (pid 7) governs 40 tenants", "")
	s.waits(footer, "t00")
	s.waits("t39", "")
	if text := s.text(); strings.ContainsAny(text, "\x1b\u202e") ||
		strings.Index(text, "t39") > strings.Index(text, "t38") {
		t.Errorf("%s", text)
	}
	s.term.KeyTap(vt.KeyPgDn)
	s.waits("t20", "t39")
	s.term.KeyTap(vt.KeyEnd)
	s.term.KeyTap(vt.KeyPgDn)
	s.term.KeyTap(vt.KeyPgDn)
	s.waits("t00", "t39")
	s.term.KeyTap(vt.KeyUp)
	s.term.KeyTap(vt.KeyHome)
	s.waits("t39", "t00")
	s.size = vt.Coord{X: 40, Y: 8}
	s.term.SetSize(s.size)
	s.waits("t39", "wishes")
	s.waits(footer, "t33")
	s.size = vt.Coord{X: 3, Y: 1}
	s.term.SetSize(s.size)
	s.term.KeyTap(vt.KeyDown)
	s.term.KeyTap(vt.KeyQ)
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

// TestTopEnds: with Escape, with Ctrl-C, with the context, and with the service.
func TestTopEnds(t *testing.T) {
	gone := errors.New("it has ended")
	for name, end := range map[string]func(*shown){
		"escape":      func(s *shown) { s.term.KeyTap(vt.KeyEsc) },
		"ctrl-c":      func(s *shown) { s.term.KeyTap(vt.KeyLCtrl, vt.KeyC) },
		"context":     func(s *shown) { s.end() },
		"the service": func(s *shown) { s.fails <- gone },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := show(t, 80, 24)
			s.waits(footer, "")
			end(s)
			if err := <-s.ended; (name == "the service") != errors.Is(err, gone) {
				t.Error(err)
			}
		})
	}
}
