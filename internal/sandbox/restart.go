package sandbox

import (
	"fmt"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// restartOpener replaces an opener that does not answer.
func (h *Host) restartOpener() {
	h.dropOpener()
	h.problems.add("a file of the program could not be opened in time: its functions have no names")
	h.restart()
}

func (h *Host) dropOpener() {
	h.lose(h.opener)
	h.opener, h.openerStuck, h.outbox.since = nil, false, 0
}

// restartChild replaces a child that died, stalled or made no sense. The sample that it was at is
// lost. Its image is banned at maxDeaths; at once when the child did not die by itself.
func (h *Host) restartChild(err error) {
	seq, image := h.child.progress.Seq.Load(), protocol.Image(h.child.progress.Image.Load())
	why := h.lose(h.child)
	if !died(err) {
		why = err.Error()
		h.deaths[image] = maxDeaths // another child would fail alike, after as long a wait
	}
	h.child = nil
	h.codes.restarted()
	h.rings.asked, h.origins.asked, h.marks.asked = false, false, false
	h.naming.lost()
	if image != 0 {
		if h.deaths[image]++; h.deaths[image] >= maxDeaths {
			h.banned[image] = true
		}
	}
	h.queue.drop(seq)
	what := "between two stacks"
	if pid, ok := h.bound.pids[image]; ok {
		if what = fmt.Sprintf("at process %d", pid); h.banned[image] {
			what += ", for the last time: its code has no names from then on"
		}
	}
	h.problems.add(fmt.Sprintf("the process that reads stacks was lost %s: %s; "+
		"processes that had ended before have no names", what, why))
	h.restart()
}

func (h *Host) restart() {
	if h.restarts++; h.restarts > maxRestarts {
		h.problems.add(fmt.Sprintf("the processes that read stacks were lost more than %d times: "+
			"the rest has no names", maxRestarts))
		h.end()
		return
	}
	if err := h.start(); err != nil {
		h.problems.add(err.Error())
		h.end()
	}
}

// lose gives a process up, and says why it had ended, if it had.
func (h *Host) lose(p *process) (why string) {
	h.ended.add(p)
	h.unreaped = append(h.unreaped, p.Pid)
	return p.kill()
}

// end ends the processes. Nothing more is walked or named.
func (h *Host) end() {
	for _, p := range []*process{h.child, h.opener} {
		if p != nil {
			h.lose(p)
		}
	}
	h.child, h.opener = nil, nil
	h.queue.abandon()
}

// Close ends the processes and takes their status. It waits a little, and is for when nothing is
// governed. A second Close does nothing.
func (h *Host) Close() error {
	h.end()
	h.bound.close()
	reap(h.unreaped)
	h.unreaped = nil
	return nil
}
