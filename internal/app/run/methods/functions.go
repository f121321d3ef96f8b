package methods

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
)

// preload is the variable with which the linker loads libraries before others (ld.so(8)).
const preload = "LD_PRELOAD"

// counting counts the calls of an instrumented program.
type counting struct {
	part.Passive
	options  *calls.LibraryOptions
	memory   *calls.Shared
	library  string
	early    bool // the first period begins with the program
	given    environment
	identity *live.Identity // user that the program runs as
}

// CheckFunctions checks the settings of the counting of calls, which needs the sampling. Attaches
// says that the target runs already.
func CheckFunctions(s *part.Settings, attaches bool) error {
	if s.Functions.Java != nil {
		if err := calls.CheckJava(s.Functions.Java); err != nil {
			return command.Usagef("--java: %w", err)
		}
		s.Functions.Wanted = true
	}
	if !s.Functions.Wanted {
		return nil
	}
	if attaches {
		return command.Usagef("--functions: only a command that ebb starts can be counted: " +
			"a program that runs already has no memory to count in")
	}
	if l := s.Functions.Library; l != "" {
		if _, err := os.Stat(l); err != nil {
			return command.Usagef("--functions: library: %w", err)
		}
	}
	s.Methods.Wanted = true
	return nil
}

// openFunctions creates the memory that the program counts in.
func openFunctions(r *part.Run) (*counting, error) {
	o := &r.Settings.Functions
	if !o.Wanted {
		return nil, nil
	}
	if !o.Choose() {
		part.Warn(&r.Report, "functions: counters=auto: this machine has no hardware counter, so "+
			"records have no counts")
	}
	o.Settings.Seed = rand.Uint64()
	shared := o.Shared()
	memory, err := calls.CreateShared(&shared)
	if err != nil {
		return nil, err
	}
	c := &counting{options: o, memory: memory, library: o.Library, identity: r.Identity,
		early: r.Settings.Methods.WarmUp == 0}
	if c.library == "" {
		c.library = calls.Library()
	}
	if c.library == "" {
		part.Warn(&r.Report, "functions: there is no libebb-functions.so beside ebb: "+
			"only programs that are linked with it are counted")
	}
	r.Use(part.Divided, c)
	return c, nil
}

// attribute returns the settings by which the calls are joined with the energy; nil where no calls
// are counted.
func (c *counting) attribute(m *methods, counters []string) *attribution.Functions {
	if c == nil {
		return nil
	}
	return &attribution.Functions{Rings: m.reader, FirstID: m.host.FirstID,
		Settings: c.options.Settings,
		Counters: c.options.Counters, Length: c.options.Length, Period: c.memory.Period,
		Instructions: slices.Index(counters, hpc.Instructions)}
}

// follow has the process without rights read the memory.
func (c *counting) follow(m *methods) {
	if c != nil {
		m.reader.Follow(c.memory.Reader(), m.sums.Record)
	}
}

// start hands the memory to the program that is started next.
func (c *counting) Start(argv []string) ([]string, error) {
	name, value, err := c.memory.Hand()
	if err != nil {
		return nil, err
	}
	if err := c.given.set(name, value); err != nil {
		return nil, err
	}
	if c.library != "" {
		set := calls.Preload(c.library, present(c.identity, preload))
		if err := c.given.set(preload, set); err != nil {
			return nil, err
		}
	}
	if c.early {
		c.memory.Period(1)
	}
	return argv, nil
}

func (c *counting) Started() error { return errors.Join(c.given.restore(), c.memory.Handed()) }

func (c *counting) Close() error { return errors.Join(c.given.restore(), c.memory.Close()) }
