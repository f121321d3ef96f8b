package eval

import (
	"errors"
	"fmt"
	"io"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
)

// counted is one of several equal runs with different counters. It yields the run's epochs as they
// become complete.
type counted struct {
	machine   *simtest.Computer
	reorder   *epochs.Reorder
	assembler *epochs.Assembler
	queue     []epochs.Epoch // epochs that are complete and not taken yet
	buf       []simtest.Event
	ended     bool
}

func newCounted(p hardware.Profile, w simtest.Workload, o simtest.Options) (*counted, error) {
	m, err := simtest.New(p, w, o)
	if err != nil {
		return nil, err
	}
	c := &counted{machine: m, buf: make([]simtest.Event, 512)}
	c.assembler, err = epochs.NewAssembler(epochs.Config{Counters: len(o.Counters)})
	if err != nil {
		m.Close()
		return nil, err
	}
	c.reorder = epochs.NewReorder(0, func(ev *epochs.Event) {
		c.assembler.Push(ev)
		c.take()
	})
	return c, nil
}

// take queues the epochs that are complete.
func (c *counted) take() {
	for e := c.assembler.Next(); e != nil; e = c.assembler.Next() {
		c.queue = append(c.queue, e.Clone())
	}
}

// fill lets the machine run until n epochs are complete, or it ends.
func (c *counted) fill(n int) error {
	for len(c.queue) < n && !c.ended {
		k, err := c.machine.Next(c.buf)
		for i := range c.buf[:k] {
			switch ev := &c.buf[i]; ev.Kind {
			case simtest.Begin:
				c.assembler.Begin(ev.At)
			case simtest.Sched:
				c.reorder.Push(&ev.Sched)
			case simtest.End:
				// All events have been delivered.
				c.reorder.Push(&epochs.Event{Kind: epochs.Tick, At: ev.At})
				c.assembler.Finish(ev.At)
				c.take()
				c.ended = true
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		c.ended = c.ended || errors.Is(err, io.EOF)
	}
	return nil
}

var errUnequal = errors.New("equal runs that count different things are not equal")

// eachEpoch hands over the epochs of equal runs with all their counters side by side.
func eachEpoch(runs []*counted, take func(*epochs.Epoch)) error {
	for {
		if err := runs[0].fill(1); err != nil {
			return err
		}
		n := len(runs[0].queue)
		for _, c := range runs[1:] {
			if err := c.fill(n); err != nil {
				return err
			}
			if len(c.queue) < n {
				return fmt.Errorf("%w: one has %d epochs more", errUnequal, n-len(c.queue))
			}
		}
		if n == 0 {
			return nil
		}
		for i := range n {
			e := &runs[0].queue[i]
			for _, c := range runs[1:] {
				if err := join(e, &c.queue[i]); err != nil {
					return err
				}
			}
			take(e)
		}
		for _, c := range runs {
			c.queue = append(c.queue[:0], c.queue[n:]...)
		}
	}
}

// join appends the counters of o to those of e. o is the same epoch with other counters.
func join(e, o *epochs.Epoch) error {
	if e.Start != o.Start || e.Dur != o.Dur || len(e.Rows) != len(o.Rows) {
		return fmt.Errorf("%w: epoch %d begins at %d and %d ns", errUnequal, e.ID, e.Start, o.Start)
	}
	for i := range e.Rows {
		if e.Rows[i].Thread != o.Rows[i].Thread {
			return fmt.Errorf("%w: epoch %d has threads %d and %d", errUnequal, e.ID,
				e.Rows[i].Thread, o.Rows[i].Thread)
		}
		e.Rows[i].Values = append(e.Rows[i].Values, o.Rows[i].Values...)
	}
	return nil
}
