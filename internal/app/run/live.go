package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/epochs"
)

// How a run is shown on a terminal while it goes on: as a row with the busiest threads, as the row
// alone, or not at all.
const (
	LiveTable = "table"
	liveRow   = "row"
	liveNone  = "none"
)

// lives are the values of Settings.Live.
var lives = []string{LiveTable, liveRow, liveNone}

const (
	// liveThreads is the number of threads that the table shows.
	liveThreads = 5
	// tableRows is the number of rows of the live table: the row, a title and the threads.
	tableRows = 2 + liveThreads
	// mostBusy bounds the threads that are distinguished between two texts.
	mostBusy = 4096
)

// busy has the time that each thread ran since the text before.
type busy map[epochs.TID]time.Duration

// add takes over an event of the scheduler.
func (b busy) add(ev *epochs.Event) {
	if ev.Kind != epochs.Off && ev.Kind != epochs.Slice || ev.From <= 0 || ev.At <= ev.From {
		return
	}
	if _, known := b[ev.Thread]; known || len(b) < mostBusy {
		b[ev.Thread] += ev.At.Sub(ev.Began())
	}
}

// busiest is a thread with its share of one CPU.
type busiest struct {
	thread epochs.TID
	share  float64
}

// top returns the busiest threads over a time, the busiest first, and the CPUs that all threads
// used.
func (b busy) top(of time.Duration) (top []busiest, all float64) {
	if of <= 0 {
		return nil, 0
	}
	for t, ran := range b {
		x := busiest{t, float64(ran) / float64(of)}
		top, all = append(top, x), all+x.share
	}
	slices.SortFunc(top, func(x, y busiest) int {
		return cmp.Or(cmp.Compare(y.share, x.share), cmp.Compare(x.thread, y.thread))
	})
	return slices.Clone(top[:min(len(top), liveThreads)]), all
}

// moment is one picture of the live view.
type moment struct {
	row     []cell
	threads []busiest
}

// cell is a figure of the row. On a narrow terminal the cells of least weight go first.
type cell struct {
	text   string
	weight int
}

// lines returns the moment's lines, of at most width characters. name returns a thread's name.
func (m *moment) lines(width int, name func(epochs.TID) string) []string {
	out := []string{fitCells(m.row, width)}
	if len(m.threads) == 0 {
		return out
	}
	out = append(out, "      CPU  thread")
	for _, t := range m.threads {
		out = append(out, fmt.Sprintf("  %5.1f %%  %s", 100*t.share, name(t.thread)))
	}
	return out
}

// fitCells joins the cells, leaving out the lightest until the line fits.
func fitCells(cells []cell, width int) string {
	for {
		var texts []string
		lightest := 0
		for i, c := range cells {
			texts = append(texts, c.text)
			if c.weight < cells[lightest].weight {
				lightest = i
			}
		}
		line := "ebb" + strings.Join(texts, "")
		if len(line) <= width || len(cells) < 2 {
			return line
		}
		cells = slices.Delete(slices.Clone(cells), lightest, lightest+1)
	}
}
