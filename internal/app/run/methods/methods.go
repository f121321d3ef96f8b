package methods

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/run/meters"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
)

// methods attributes a run's energy to threads and methods.
type methods struct {
	sampler   *stacks.Sampler // nil, and so is reader, where only threads are wanted
	reader    *sandbox.Host
	temporary *safefile.Leftovers // temporary files as they were before the program ran
	owner     uint32              // user that a command runs as
	sums      *attribution.Attributor
	arranged  bool     // Java machines were given options
	agents    []string // options with which they load the agent that counts calls
	given     environment
	identity  *live.Identity // user that a command runs as
	traffic   Movers
	target    part.Program
	host      *live.Host
	opened    part.Stack
	// pipe takes the program's marks; nil where none are wanted. markReader is the reader above, if
	// there is one.
	pipe       *safefile.Pipe
	markReader *sandbox.Host
}

// begins is the time that the sandbox child may take to begin, before the program does.
const begins = 500 * time.Millisecond

// perfMaps is the directory in which virtual machines write the addresses of their code.
const perfMaps = "/tmp"

// Open prepares the sampling and the ledgers, when they are asked for. It uses the machine's
// meters if there are any.
func Open(
	ctx context.Context, r *part.Run, argv []string, cfg *governor.Config, from Sources,
	shown *Streaming,
) (err error) {
	s := &r.Settings.Methods
	if !s.Wanted && !s.Threads {
		return nil
	}
	if err := checkMethods(s); err != nil {
		return err
	}
	m := &methods{traffic: from.Traffic, target: r.Program, host: r.Host,
		owner: uint32(os.Geteuid()), identity: r.Identity}
	if r.Identity != nil {
		m.owner = r.Identity.UID
	}
	r.Use(part.Divided, m)
	count, err := openFunctions(r)
	if err != nil {
		return err
	}
	if m.agents, err = count.agents(argv); err != nil {
		return err
	}
	if q := r.Settings.Quantum; s.Window > 0 && s.Window < q {
		return command.Usagef("--window %v is shorter than the quantum of %v, with which windows "+
			"end: --quantum %v as well", s.Window, q, s.Window)
	}
	c := attribution.Config{Stat: "/proc/stat", WarmUp: s.WarmUp, Window: s.Window,
		Resumes: r.Resumes}
	// Calls are divided by their functions' samples, of which they need all.
	if cfg.Objective == governor.Slowdown && !s.Exactly && !r.Settings.Functions.Wanted {
		c.Budget = float64(cfg.Slowdown)
	}
	if s.Wanted {
		if err := m.open(r, s.Rate); err != nil {
			return err
		}
		c.Rate, c.Sampler, c.Reader = s.Rate, m.sampler, m.reader
		r.Ready = func() { m.reader.Ready(begins) }
	} else {
		c.Sampler, c.Reader = attribution.Unsampled{}, attribution.Unsampled{}
	}
	if s.Regions {
		if err := openRegions(r, m, &c); err != nil {
			return err
		}
	}
	own := ownTime{used: map[int]time.Duration{}}
	for _, h := range []*sandbox.Host{m.reader, m.markReader} {
		if h != nil {
			own.others = h.Processes
		}
	}
	c.Own = own.read
	machine, err := sysfs.ReadLayout(r.Sysfs)
	if err != nil {
		return err
	}
	c.Cores = coresOf(machine)
	c.Ended = func(t epochs.TID) (int, string) {
		tgid, comm := r.Tracer.Ended(t)
		return int(tgid), comm
	}
	if from.Traffic.counts() && s.Wanted {
		c.Callers = from.Traffic.counter
	}
	by := joulesBy(r, from.Meters, from.Machine, from.Model)
	if c.Rules, err = rules(&cfg.Power, s.Rules, by); err != nil {
		return err
	}
	if err := openSource(ctx, r, argv, cfg, from, m, machine, &c); err != nil {
		return err
	}
	if s.Trace != "" {
		t, err := openTrace(r, c.Meter)
		if err != nil {
			return err
		}
		c.Trace = t.trace
	}
	c.Functions = count.attribute(m, cfg.Counters)
	c.Live = shown.attribute(&r.Settings.Stream, m)
	m.sums = attribution.New(c)
	count.follow(m)
	return nil
}

// checkMethods refuses settings that no run can have.
func checkMethods(s *part.Methods) error {
	if err := stacks.CheckRate(s.Rate); err != nil && s.Wanted {
		return command.Usagef("--rate: %w", err)
	}
	if err := checkRules(s.Rules); err != nil {
		return err
	}
	const shortest, longest = time.Millisecond, time.Second
	switch w := s.Window; {
	case w == 0:
	case w < shortest || w > longest:
		return command.Usagef("--window %v is not between %v and %v", w, shortest, longest)
	case s.PowerModel != nil:
		return command.Usagef("--window does nothing with --power-model, whose windows are those "+
			"that it was trained on: %v", meters.TrainedWindow)
	}
	if s.WarmUp < 0 {
		return command.Usagef("--warm-up %v is below zero", s.WarmUp)
	}
	return nil
}

// open opens the sampler and the process that reads names.
func (m *methods) open(r *part.Run, rate int) (err error) {
	if m.sampler, err = stacks.Open(r.Tracer.Followed(), r.Types, rate); err != nil {
		return err
	}
	m.opened.Push(m.sampler.Close)
	if m.temporary, err = safefile.FindLeftovers(perfMaps); err != nil {
		return err
	}
	m.opened.Push(m.temporary.Close)
	if m.reader, err = sandbox.Start(); err != nil {
		return err
	}
	m.opened.Push(m.reader.Close)
	m.reader.OwnIDs(r.OwnID)
	m.reader.Carriers(m.carriers)
	return nil
}

// carriers has the sampler read who is mounted on a process's threads.
func (m *methods) carriers(pid int, list []protocol.Carrier) {
	carriers := make([]stacks.Carrier, len(list))
	for i, c := range list {
		carriers[i] = stacks.Carrier(c)
	}
	m.sampler.Carry(pid, carriers)
}

func (m *methods) Close() error { return errors.Join(m.given.restore(), m.opened.Close()) }

// start samples the command's threads from the first on, and makes Java machines write the
// addresses of their code.
func (m *methods) Start(argv []string) ([]string, error) {
	if len(argv) == 0 {
		return nil, nil // the target runs already
	}
	if m.pipe != nil {
		if err := m.given.set(instrumented.MarksVariable, m.pipe.Path); err != nil {
			return nil, err
		}
	}
	if m.sampler == nil {
		return argv, nil
	}
	given := len(argv)
	argv, variable := attribution.Arrange(argv,
		present(m.identity, attribution.JVMVariable), m.traffic.counts(), m.agents)
	m.arranged = len(argv) > given || variable != ""
	if variable != "" {
		if err := m.given.set(attribution.JVMVariable, variable); err != nil {
			return nil, err
		}
	}
	return argv, SampleAround(m.sampler, os.Getpid())
}

func (m *methods) Started() error {
	if m.pipe != nil {
		if err := m.pipe.Watch(attribution.Period/2, m.host.Wake); err != nil {
			return err
		}
	}
	if m.sampler == nil {
		return m.given.restore()
	}
	return errors.Join(m.given.restore(), m.target.Sample(m.sampler))
}

func (m *methods) Observer() governor.Observer { return m.sums }
