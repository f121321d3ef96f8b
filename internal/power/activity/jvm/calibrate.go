package jvm

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/ebb-energy/ebb/epochs/usdt"
)

// rounds is the number of pairs of measurements, one with and one without the breakpoint.
const rounds = 15

// PerHit returns the CPU time that a hit of a probe costs, in ns: the median of pairs of
// measurements. Executable is ebb's own.
func PerHit(executable string) (ns float64, err error) {
	if ns, err = perHit(executable); err != nil {
		return 0, fmt.Errorf("measure what a probe's hit costs: %w", err)
	}
	return ns, nil
}

func perHit(executable string) (_ float64, err error) {
	file, event, err := ownProbe()
	if err != nil {
		return 0, err
	}
	defer file.Close() // it was only read
	p, err := open(nil, []string{event.Name})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	l, err := start(p, executable)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.end()) }()
	if _, err := l.turn(); err != nil { // the first one is cold
		return 0, err
	}
	var costs []float64
	for range rounds {
		without, err := l.turn()
		if err == nil {
			err = p.Attach(file, []usdt.Event{event}, l.cmd.Process.Pid)
		}
		if err != nil {
			return 0, err
		}
		with, err := l.turn()
		if err = errors.Join(err, p.detach()); err != nil {
			return 0, err
		}
		costs = append(costs, (with-without)/calls)
	}
	r, err := p.Read()
	if err != nil {
		return 0, err
	}
	if got := r.Counts[0].Begun; got != rounds*calls {
		return 0, fmt.Errorf("%d of %d hits were counted", got, rounds*calls)
	}
	slices.Sort(costs)
	return max(costs[rounds/2], 0), nil
}

// loop is a process that passes the probe.
type loop struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(p *programs, executable string) (*loop, error) {
	l := &loop{cmd: exec.Command(executable, ProbeLoop)}
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := l.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	l.in, l.out = in, bufio.NewReader(out)
	return l, p.Launch(l.cmd.Start)
}

// turn makes the process do its calls once, and returns their CPU time in ns.
func (l *loop) turn() (float64, error) {
	if _, err := io.WriteString(l.in, "\n"); err != nil {
		return 0, err
	}
	text, err := l.out.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(text), 64)
}

func (l *loop) end() error {
	err := l.in.Close()
	return errors.Join(err, l.cmd.Wait())
}

// ownProbe opens this process's own program and finds its probe.
func ownProbe() (*os.File, usdt.Event, error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, usdt.Event{}, err
	}
	at := uint64(place())
	for line := range bytes.Lines(maps) {
		var from, to, offset uint64
		var rights string
		if n, _ := fmt.Sscanf(string(line), "%x-%x %s %x", &from, &to, &rights, &offset); n != 4 ||
			at < from || at >= to {
			continue
		}
		file, err := os.Open("/proc/self/exe")
		return file, usdt.Event{Name: "hit", Begins: []uint64{at - from + offset}}, err
	}
	return nil, usdt.Event{}, errors.New("this program has no probe of its own")
}
