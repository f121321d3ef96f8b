package status

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gdamore/tcell/v3"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
)

// every is the time between two questions. Meters are read once a second.
const every = time.Second

// footer is the last row of the screen.
const footer = "q ends it; the arrow keys scroll"

// Top shows a service on a screen, anew each second, until the user ends it.
type Top struct {
	screen tcell.Screen
	ask    func(context.Context) (status, error)
	last   status
	from   int // index of the first line that is shown below the headline
}

// NewTop shows the answers to c on the terminal of standard input and output. It fails where these
// are none.
func NewTop(c *Client) (*Top, error) {
	tty, err := tcell.NewStdIoTty()
	if err != nil {
		return nil, fmt.Errorf("standard input and output are no terminal: %w", err)
	}
	screen, err := tcell.NewTerminfoScreenFromTty(tty)
	if err != nil {
		return nil, fmt.Errorf("use the terminal: %w", err)
	}
	return &Top{screen: screen, ask: c.Ask}, nil
}

// Run returns when the user ends it, when ctx ends, or when the service answers no more. The
// terminal is then as before.
func (t *Top) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var err error
	if t.last, err = t.ask(ctx); err != nil {
		return err
	}
	if err := t.screen.Init(); err != nil {
		return fmt.Errorf("use the terminal: %w", err)
	}
	defer t.screen.Fini()
	answers := make(chan answer)
	go t.keepAsking(ctx, answers)
	for {
		t.draw()
		select {
		case <-ctx.Done():
			return nil
		case a := <-answers:
			if a.err != nil {
				return a.err
			}
			t.last = a.status
		case ev, open := <-t.screen.EventQ():
			if !open || t.ends(ev) {
				return nil
			}
		}
	}
}

// answer is one answer of a service.
type answer struct {
	status status
	err    error
}

// keepAsking asks each second until an answer fails.
func (t *Top) keepAsking(ctx context.Context, answers chan<- answer) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s, err := t.ask(ctx)
		select {
		case <-ctx.Done():
			return
		case answers <- answer{s, err}:
		}
		if err != nil {
			return
		}
	}
}

// ends handles a key or a new size, and reports whether the user ends the display.
func (t *Top) ends(ev tcell.Event) bool {
	switch ev := ev.(type) {
	case *tcell.EventResize:
		t.screen.Sync()
	case *tcell.EventKey:
		_, rows := t.screen.Size()
		switch ev.Key() {
		case tcell.KeyCtrlC, tcell.KeyEscape:
			return true
		case tcell.KeyUp:
			t.from--
		case tcell.KeyDown:
			t.from++
		case tcell.KeyPgUp:
			t.from -= rows - 2
		case tcell.KeyPgDn:
			t.from += rows - 2
		case tcell.KeyHome:
			t.from = 0
		case tcell.KeyRune:
			return ev.Str() == "q" || ev.Str() == "Q"
		}
	}
	return false
}

// draw shows the headline, as many of the other lines as fit, and the footer.
func (t *Top) draw() {
	columns, rows := t.screen.Size()
	lines := t.lines(columns)
	t.from = max(min(t.from, len(lines)-1-(rows-2)), 0)
	t.screen.Clear()
	t.screen.PutStrStyled(0, 0, lines[0], tcell.StyleDefault.Bold(true))
	for y, line := range lines[min(1+t.from, len(lines)):] {
		if y+1 >= rows-1 {
			break
		}
		t.screen.PutStr(0, y+1, line)
	}
	t.screen.PutStrStyled(0, rows-1, footer, tcell.StyleDefault.Reverse(true))
	t.screen.Show()
}

// lines returns the answers as text. The tenant that has used most of its budget comes first.
func (t *Top) lines(columns int) []string {
	s := t.last
	s.Tenants.Tenants = slices.Clone(s.Tenants.Tenants)
	slices.SortStableFunc(s.Tenants.Tenants, func(a, b api.Tenant) int {
		return cmp.Or(-cmp.Compare(share(a.Burnt10s), share(b.Burnt10s)),
			-cmp.Compare(share(a.Slowdown10s), share(b.Slowdown10s)))
	})
	var b strings.Builder
	_ = s.Show(&b, max(columns, 1)) // a strings.Builder takes all
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// share returns a known share, or a number below any known one.
func share(x *float64) float64 {
	if x == nil {
		return -1e9
	}
	return *x
}
