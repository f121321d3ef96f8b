package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// evalProgress shows how far an evaluation is: a bar on a terminal, elsewhere a line for each
// tenth.
type evalProgress struct {
	mu     sync.Mutex
	w      io.Writer
	bar    *command.Bar
	began  time.Time
	drawn  time.Time
	tenths int
}

func newEvalProgress(w io.Writer) *evalProgress {
	return &evalProgress{w: w, bar: command.NewBar(w), began: time.Now()}
}

// drawEvery is the least time between two drawings of the bar.
const drawEvery = 100 * time.Millisecond

// show draws the bar or prints a line. It is an eval.Progress.
func (p *evalProgress) show(done, of int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case of == 0:
	case p.bar.Terminal():
		if done < of && now.Sub(p.drawn) < drawEvery {
			return
		}
		p.drawn = now
		p.bar.Draw(done, of, "runs", p.left(done, of, now))
	case done == 0:
		fmt.Fprintf(p.w, "ebb-lab: %s on the simulated machine\n", printable.Count(of, "run"))
	case 10*done/of > p.tenths:
		p.tenths = 10 * done / of
		fmt.Fprintf(p.w, "ebb-lab: %d of %d runs done%s\n", done, of, p.left(done, of, now))
	}
}

// left estimates the time that the other runs will take; empty while too few are done to know.
func (p *evalProgress) left(done, of int, now time.Time) string {
	passed := now.Sub(p.began)
	if done == of || 20*done < of || passed < 2*time.Second {
		return ""
	}
	return ", about " + command.Coarse(passed*time.Duration(of-done)/time.Duration(done)) + " left"
}

// end erases the bar.
func (p *evalProgress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bar.Clear()
}

// drawnBar returns functions that draw how many of some things are done, and clear the drawing.
func drawnBar(w io.Writer, things string) (draw func(done, of int), clear func()) {
	bar := command.NewBar(w)
	return func(done, of int) { bar.Draw(done, of, things, "") }, bar.Clear
}
