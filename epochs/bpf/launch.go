package bpf

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/cilium/ebpf"
)

// Launch follows the process that start creates, from its creation on: its Fork by NoThread comes
// before its Exec, which marks the command's first instruction. Start must create the process, and
// no other, from the goroutine that calls it, as os.StartProcess does. Launch returns start's
// error.
func (t *Tracer) Launch(start func() (pid int, err error)) (err error) {
	return t.launch(t.objects.Seed, t.objects.Unseed, start)
}

// LaunchThrough does what Launch does where start creates a launcher: a process that executes two
// programs, its own and then, in the same thread, the command. It is followed from the second on.
// Its Fork and its Exec come then, and nothing before is the target's.
func (t *Tracer) LaunchThrough(start func() (pid int, err error)) (err error) {
	return t.launch(t.objects.SeedLauncher, t.objects.UnseedLauncher, start)
}

func (t *Tracer) launch(seed, unseed *ebpf.Program, start func() (pid int, err error),
) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Before a program's first process the os package starts a trial process, to learn what the
	// kernel can do. This runs the trial now, so that it is not followed.
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Release()
	}
	if err := t.run(seed); err != nil {
		return fmt.Errorf("follow the command to be launched: %w", err)
	}
	defer func() {
		if e := t.run(unseed); e != nil {
			err = errors.Join(err, fmt.Errorf("stop to follow what ebb launches: %w", e))
		}
	}()
	_, err = start()
	return err
}

// run runs a BPF program on the calling thread.
func (t *Tracer) run(p *ebpf.Program) error {
	answer, err := p.Run(&ebpf.RunOptions{})
	if err == nil && answer != 0 {
		err = fmt.Errorf("the kernel has no memory for it")
	}
	return err
}
