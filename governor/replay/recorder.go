package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/many"
)

// Recorder is a Machine that records all that passes through another. If writing fails it stops
// recording, and the governing goes on; Finish returns the error.
type Recorder struct {
	m   governor.Machine
	w   io.Writer
	enc encoder
	err error
}

// NewRecorder writes the beginning of the recording to w and returns a recorder of m. Each frame is
// one Write. W should have no buffer, whose content a crash would lose.
func NewRecorder(m governor.Machine, cfg governor.Config, w io.Writer) (*Recorder, error) {
	r := &Recorder{m: m, w: w, enc: encoder{counters: len(cfg.Counters)}}
	return r, r.header(magic, cfg)
}

// NewTenantsRecorder does what NewRecorder does, for the governors of several tenants.
func NewTenantsRecorder(m governor.Machine, cfg many.Config, w io.Writer) (*Recorder, error) {
	r := &Recorder{m: m, w: w, enc: encoder{counters: countersOf(&cfg), many: true}}
	return r, r.header(magicMany, cfg)
}

// countersOf returns the number of counters of a slice: the most that any tenant has.
func countersOf(cfg *many.Config) (n int) {
	for i := range cfg.Tenants {
		n = max(n, len(cfg.Tenants[i].Config.Counters))
	}
	return n
}

func (r *Recorder) header(magic string, cfg any) error {
	header, err := json.Marshal(cfg)
	if err != nil {
		return fmt.Errorf("encode the governor's configuration: %w", err)
	}
	r.enc.b = append(r.enc.b, magic...)
	r.enc.b = beginFrame(r.enc.b, frameHeader)
	r.enc.b = append(r.enc.b, header...)
	r.enc.b = endFrame(r.enc.b, len(magic))
	if _, err := r.w.Write(r.enc.b); err != nil {
		return fmt.Errorf("write the recording's header: %w", err)
	}
	return nil
}

// Next implements governor.Machine.
func (r *Recorder) Next(ctx context.Context, buf []governor.Event) (int, error) {
	n, err := r.m.Next(ctx, buf)
	if n > 0 {
		r.frame(frameEvents, func() {
			for i := range buf[:n] {
				r.enc.event(&buf[i])
			}
		})
	}
	return n, err
}

// Apply implements governor.Machine.
func (r *Recorder) Apply(a governor.Action) error {
	r.frame(frameAction, func() { r.enc.action(&a) })
	return r.m.Apply(a)
}

func (r *Recorder) frame(t frameType, fill func()) {
	if r.err != nil {
		return
	}
	r.enc.b = beginFrame(r.enc.b[:0], t)
	fill()
	if _, err := r.w.Write(endFrame(r.enc.b, 0)); err != nil {
		r.err = fmt.Errorf("write recording: %w", err)
	}
}

// Finish marks the recording as complete. It returns the error that stopped the recording, if any.
func (r *Recorder) Finish() error {
	r.frame(frameLast, func() {})
	return r.err
}
