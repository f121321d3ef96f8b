package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/instrumented"
)

// bench has the programs, compiled in each way.
type bench struct {
	dir, library, ebb string
	sources           string // where Debian's are
	rounds            int
	only              string // the table that is made; "" for all
}

// ways has the compiler's options of each way to compile a program.
var ways = map[string][]string{
	"plain": nil, "hooks": {"-finstrument-functions"}, "gprof": {"-pg"},
}

// sources is the directory of the programs.
const sources = "test/papers/kernels"

func (b *bench) compile() error {
	for _, name := range []string{"hooks", "rate", "is", "bt", "cg"} {
		for _, threads := range []string{"", "-fopenmp"} {
			if (name == "hooks" || name == "rate") && threads != "" {
				continue
			}
			for way, options := range ways {
				args := append([]string{"-O2", filepath.Join(sources, name+".c"),
					"-o", b.program(name, threads != "", way)}, options...)
				if threads != "" {
					args = append(args, threads)
				}
				if err := gcc(args); err != nil {
					return err
				}
			}
		}
	}
	return b.compileSources()
}

func gcc(args []string) error {
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc %v: %w: %s", args, err, out)
	}
	return nil
}

func (b *bench) program(name string, parallel bool, way string) string {
	if parallel {
		name += ".omp"
	}
	return filepath.Join(b.dir, name+"."+way)
}

// setting is a way to run a program: compiled how, and followed by the library or not.
type setting struct {
	name   string
	way    string
	follow *instrumented.Settings // nil: ebb's library is not there
	period time.Duration          // 0: one for the whole run
}

// run runs a program and returns the first number that it prints.
func (b *bench) run(s *setting, program, arguments string) (float64, error) {
	c := exec.Command(program, strings.Fields(arguments)...)
	c.Dir = b.dir // gprof writes its file there
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=4", "OMP_WAIT_POLICY=passive")
	var out bytes.Buffer
	c.Stdout = &out
	if s.follow != nil {
		stop, err := b.follow(s, c)
		if err != nil {
			return 0, err
		}
		defer stop()
	}
	if err := c.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w", program, err)
	}
	var first float64
	_, err := fmt.Sscan(out.String(), &first)
	return first, err
}

// follow gives a program the memory to count in, and begins its periods.
func (b *bench) follow(s *setting, c *exec.Cmd) (stop func(), err error) {
	m, err := calls.CreateShared(s.follow)
	if err != nil {
		return nil, err
	}
	name, value, err := m.Hand()
	if err != nil {
		return nil, err
	}
	library, err := filepath.Abs(b.library)
	if err != nil {
		return nil, err
	}
	c.Env = append(c.Env, name+"="+value, "LD_PRELOAD="+library)
	m.Period(1)
	ended, finished := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		for n := uint32(2); s.period > 0; n++ {
			select {
			case <-ended:
				return
			case <-time.After(s.period):
				m.Period(n)
			}
		}
	}()
	return func() {
		close(ended)
		<-finished
		_ = m.Close() // it is only memory
	}, nil
}

// result is the median over rounds, with the quartiles.
type result struct{ low, middle, high float64 }

func summary(values []float64) result {
	slices.Sort(values)
	at := func(part float64) float64 {
		return values[int(math.Round(part*float64(len(values)-1)))]
	}
	return result{at(0.25), at(0.5), at(0.75)}
}

// overheads measures settings in turn against the first, as shares of its time in the same round.
func (b *bench) overheads(
	name string, parallel bool, argument string, settings []setting,
) (base result, shares []result, err error) {
	times := make([][]float64, len(settings))
	for range b.rounds {
		for i := range settings {
			s := &settings[i]
			took, err := b.run(s, b.program(name, parallel, s.way), argument)
			if err != nil {
				return base, nil, err
			}
			times[i] = append(times[i], took)
		}
	}
	for i := range settings {
		var ratios []float64
		for k, took := range times[i] {
			ratios = append(ratios, took/times[0][k]-1)
		}
		shares = append(shares, summary(ratios))
	}
	return summary(times[0]), shares, nil
}
