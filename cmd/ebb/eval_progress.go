package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// evalProgress tells how an evaluation goes on: a bar on a terminal, else a line for each tenth.
type evalProgress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	began    time.Time
	drawn    time.Time
	tenths   int
}

func newEvalProgress(w io.Writer) *evalProgress {
	p := &evalProgress{w: w, began: time.Now()}
	if f, ok := w.(*os.File); ok {
		_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
		p.terminal = err == nil
	}
	return p
}

// tell is an eval.Progress.
func (p *evalProgress) tell(done, of int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case of == 0:
	case p.terminal:
		if done < of && now.Sub(p.drawn) < 100*time.Millisecond {
			return
		}
		p.drawn = now
		full := barWidth * done / of
		fmt.Fprintf(p.w, "\r\x1b[K[%s%s] %d of %d runs%s", strings.Repeat("#", full),
			strings.Repeat(".", barWidth-full), done, of, p.left(done, of, now))
	case done == 0:
		fmt.Fprintf(p.w, "ebb: %d runs on the simulated machine\n", of)
	case 10*done/of > p.tenths:
		p.tenths = 10 * done / of
		fmt.Fprintf(p.w, "ebb: %d of %d runs done%s\n", done, of, p.left(done, of, now))
	}
}

// left says how long it will still take, once that can be said; runs differ in length, so it is no
// more than a guess.
func (p *evalProgress) left(done, of int, now time.Time) string {
	passed := now.Sub(p.began)
	if done == of || 20*done < of || passed < 2*time.Second {
		return ""
	}
	return ", about " + coarse(passed*time.Duration(of-done)/time.Duration(done)) + " left"
}

// end takes the bar away.
func (p *evalProgress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
