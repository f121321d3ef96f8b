package bpf

import (
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// ticker ends quanta by the reader's own clock, where BPF has no timers: it wakes the reader at the
// end of each quantum in which the target runs. While no thread of the target runs it waits for the
// bell, which the first thread to run rings.
type ticker struct {
	quantum time.Duration
	// on closes open slices, and reports whether the target runs.
	on      func() (running bool, err error)
	running bool // the target was running when the last quantum ended, or has rung since
}

// wait returns when the bell rang, wake was called, or a quantum in which the target runs ended.
func (t *ticker) wait(b *bell) error {
	now := monotonic.Now()
	end := now - now%units.Instant(t.quantum) + units.Instant(t.quantum)
	if t.running {
		if err := b.until(time.Now().Add(end.Sub(now))); err != nil {
			return fmt.Errorf("wait for the end of a quantum: %w", err)
		}
	}
	heard := b.heard
	err := b.wait()
	if err != nil || t.running && monotonic.Now() < end {
		return err
	}
	running, err := t.on()
	// A thread rings once in a quantum: one that has rung and sleeps already may yet run on.
	t.running = running || b.heard != heard
	return err
}

// tick runs the program that stands in for a timer on every CPU.
func (t *Tracer) tick() (running bool, err error) {
	for cpu := range t.cpus {
		of, err := t.objects.OnTick.Run(&ebpf.RunOptions{CPU: uint32(cpu),
			Flags: unix.BPF_F_TEST_RUN_ON_CPU})
		// A CPU that is offline refuses.
		if err != nil && !errors.Is(err, unix.ENXIO) {
			return false, fmt.Errorf("end the quantum on CPU %d: %w", cpu, err)
		}
		running = running || err == nil && of != 0
	}
	return running, nil
}

// Timed reports whether the kernel's timers end quanta, and show when the reader stalls (Watch).
func (t *Tracer) Timed() bool { return t.ticker == nil }

// await waits until Next has something to read.
func (t *Tracer) await() error {
	if t.ticker != nil {
		return t.ticker.wait(t.bell)
	}
	return t.bell.wait()
}
