package methods

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/sandbox"
)

// Counter counts the calls of named functions.
type Counter struct {
	part.Passive
	counter *calls.Counter
	files   []*codeFile
	list    []profile.CountedCalls
	cost    calls.Cost // cost of a call, as measured at the start
}

// OpenCount finds the functions and has the kernel count them from now on. It returns nil where
// none are wanted.
func OpenCount(ctx context.Context, r *part.Run, argv []string) (_ *Counter, err error) {
	s := &r.Settings.Count
	if len(s.Functions) == 0 {
		return nil, nil
	}
	c := &Counter{}
	r.Use(part.Totals, c)
	for _, f := range s.Functions {
		if err := c.name(f, r, argv); err != nil {
			return nil, command.Usagef("--count %s: %w", f, err)
		}
	}
	c.counter, err = calls.Open(r.Tracer.Followed(), len(c.list))
	if err != nil {
		return nil, fmt.Errorf("--count: %w", err)
	}
	var all []calls.Probe
	for _, f := range c.files {
		places, err := c.probes(ctx, f, s.Stepped)
		if err == nil {
			err = c.counter.Attach(f.File, places)
		}
		if err == nil {
			err = f.unchanged()
		}
		all = append(all, places...)
		switch {
		case errors.Is(err, calls.ErrPermission), errors.Is(err, calls.ErrNotSupported),
			errors.Is(err, sandbox.ErrLost):
			return nil, fmt.Errorf("--count: %w", err)
		case err != nil:
			return nil, command.Usagef("--count: %w", err)
		}
	}
	r.Resumes = resumes(all, c.list)
	steps := slices.ContainsFunc(c.list, func(x profile.CountedCalls) bool { return x.Stepped })
	if c.cost, err = c.counter.Measure(steps); err != nil {
		part.Warn(&r.Report,
			err.Error()+": what counting took is reckoned by another machine's cost")
	}
	counts := c.counts()
	for i := range c.list {
		if says := counts.Stepping(&c.list[i]); says != "" {
			r.Notices = append(r.Notices, "--count "+says)
			part.Warn(&r.Report, "--count "+says)
		}
	}
	return c, nil
}

// resumes returns the places within a page of the instructions behind breakpoints at a push, which
// the kernel emulates. A thread that is stepped goes on elsewhere.
func resumes(all []calls.Probe, list []profile.CountedCalls) map[uint64]bool {
	places := map[uint64]bool{}
	for _, p := range all {
		for length := uint64(1); length <= 2 && !list[p.Function].Stepped; length++ { // of a push
			places[(p.Offset+length)%4096] = true
		}
	}
	return places
}

// counts returns the functions, and the cost of counting a call of them.
func (c *Counter) counts() *profile.Counts {
	return &profile.Counts{List: c.list, CallNS: int64(c.cost.Emulated),
		SteppedNS: int64(c.cost.Stepped)}
}

// name opens the file of a function, unless it is open already.
func (c *Counter) name(given string, r *part.Run, argv []string) error {
	path, name := fileOf(given)
	f, err := codeFileOf(r, path, argv)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(c.files, func(g *codeFile) bool { return os.SameFile(g.info, f.info) })
	if at < 0 {
		c.files = append(c.files, f)
		at = len(c.files) - 1
	} else {
		f.Close() // it was not read
	}
	f = c.files[at]
	if slices.ContainsFunc(f.names, func(i int) bool { return c.list[i].Name == name }) {
		return errors.New("it is there twice")
	}
	f.names = append(f.names, len(c.list))
	c.list = append(c.list, profile.CountedCalls{Name: name, Module: filepath.Base(f.Name()),
		File: f.Name()})
	return nil
}

// probes asks the sandbox for the places of breakpoints at a file's functions.
func (c *Counter) probes(ctx context.Context, f *codeFile, stepped bool,
) (places []calls.Probe, err error) {
	var names []string
	for _, i := range f.names {
		names = append(names, c.list[i].Name)
	}
	found, err := sandbox.Entries(ctx, f.File, names)
	if err != nil {
		return nil, err
	}
	for k, i := range f.names {
		x := &c.list[i]
		if found[k].Reason != "" || len(found[k].Offsets) == 0 {
			return nil, fmt.Errorf("%s in %s: %s%s", x.Name, f.Name(), found[k].Reason,
				notNative(f.Name()))
		}
		x.Shown, x.Places = found[k].Shown, len(found[k].Offsets)
		if x.Stepped = len(found[k].Stepped) > 0; x.Stepped && !stepped {
			return nil, fmt.Errorf("%s in %s: the kernel would stop the program twice at each "+
				"call: the function's first instruction (bytes % x) is none that the kernel "+
				"emulates; --count-stepped counts its calls all the same", x.Name, f.Name(),
				found[k].Stepped)
		}
		for _, offset := range found[k].Offsets {
			places = append(places, calls.Probe{Offset: offset, Function: i})
		}
	}
	return places, nil
}

// notNative returns a clause on functions that a virtual machine compiles; "" for other files.
func notNative(file string) string {
	if base := filepath.Base(file); base != "java" && !strings.HasPrefix(base, "python") &&
		!strings.HasPrefix(base, "node") {
		return ""
	}
	return "; methods that are compiled while the program runs have no place in a file: ebb " +
		"report has their energy by samples, without calls"
}

// finish reads the counts.
func (c *Counter) Finish(_ context.Context, r *report.Report) error {
	counts, err := c.counter.Read()
	if err != nil {
		return err
	}
	for i := range counts {
		c.list[i].Calls, c.list[i].OtherCalls = counts[i].Calls, counts[i].Others
	}
	for _, f := range c.files {
		if f.replaced() {
			part.Warn(r, fmt.Sprintf("--count: %s was replaced or removed while the program ran: "+
				"calls in a new file of this name are not counted", f.Name()))
		}
	}
	return nil
}

// Price adds the counts to a report that has the energy. It does nothing for nil.
func (c *Counter) Price(r *report.Report) error {
	if c != nil && r.Attribution != nil {
		r.Attribution.Price(c.counts())
	}
	return nil
}

func (c *Counter) Close() (err error) {
	if c.counter != nil {
		err = c.counter.Close()
	}
	for _, f := range c.files {
		f.Close() // it was only read
	}
	return err
}
