package machine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/energy/groups/counts"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// follower follows the machine's cgroups.
type follower struct {
	settings  *Settings
	std       command.Stdio
	sysfs     *sysfs.FS
	hierarchy *cgroup.Hierarchy
	counter   *counts.Counter
	counters  *perfevent.Set // nil where there are none
	meters    *meters
	places    packages
	members   *members
	account   *groups.Account
	server    *server // nil where nobody listens
	guests    *guests // nil where none get files
	jobs      output  // file for Slurm's plugin; without a path nobody reads it
	textfile  output  // file for node_exporter; without a path nobody reads it
	begin     units.Instant
	whole     units.Instant // time since which all energy and its owners are known
	at        units.Instant // end of the last window
	metered   units.Instant // time of the last window's reading of the meters
	apart     time.Duration // time from metered to the end of the reading of the counts
	refused   uint64
	uncounted string // why there are no counters; "" where that needs no word
	metrics   []byte // text of the last window's metrics; nil until somebody asks
}

// Execute follows the machine until its time is over or a signal comes, and prints the table.
func Execute(ctx context.Context, s *Settings, std command.Stdio) (err error) {
	if err := s.check(); err != nil {
		return err
	}
	// Otherwise each window wakes a second thread as well, which looks for work in vain.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f := &follower{settings: s, std: std, jobs: output{path: s.SlurmFile},
		textfile: output{path: s.Textfile}}
	defer func() { err = errors.Join(err, f.close()) }()
	if err := f.open(); err != nil {
		return err
	}
	f.announce()
	ctx, signal := command.UntilSignal(ctx)
	defer signal.Stop()
	if err := f.run(ctx); err != nil {
		return err
	}
	if !s.JSON {
		err = f.report().Write(std.Out, s.Top, command.PageWidth(std.Out))
	}
	if bad := f.account.Check(); bad != nil {
		err = errors.Join(err, fmt.Errorf("divide the machine's energy: %w", bad))
	}
	return err
}

func (f *follower) open() (err error) {
	s := f.settings
	fs, err := sysfs.Open(s.Sysfs)
	if err != nil {
		return command.Usagef("--sysfs: %w", err)
	}
	f.sysfs = fs
	layout, err := sysfs.ReadLayout(fs)
	if err != nil {
		return err
	}
	f.places = packagesOf(layout)
	if f.meters, err = openMeters(s, &f.places); err != nil {
		return err
	}
	f.hierarchy, err = cgroup.OpenHierarchy(s.Hierarchy)
	if errors.Is(err, cgroup.ErrNotMounted) && s.Hierarchy != "" {
		return command.Usagef("--hierarchy: %w", err)
	} else if err != nil {
		return err
	}
	share, err := groups.ParseShare(s.ShareIdle)
	if err != nil {
		return err
	}
	f.members = newMembers(f.hierarchy, s.Depth, s.Kind)
	if share == groups.Reserved {
		f.members.weight = reservation(f.hierarchy.Root)
	}
	f.account = groups.New(f.meters.zones, share)
	if s.Guests != "" && f.meters.measured() {
		f.guests = newGuests(s.Guests)
	}
	if s.Listen != "" {
		if f.server, err = listen(s.Listen); err != nil {
			return err
		}
	}
	var fds [][]int
	if f.counters, f.uncounted, err = openCounters(layout); err != nil {
		return err
	} else if f.counters != nil {
		fds = f.counters.FDs()
	}
	f.counter, err = counts.Open(f.hierarchy.Subsystem, fds)
	return err
}

func (f *follower) close() error {
	var errs []error
	if f.sysfs != nil {
		errs = append(errs, f.sysfs.Close())
	}
	if f.server != nil {
		errs = append(errs, f.server.close())
	}
	if f.guests != nil {
		errs = append(errs, f.guests.end())
	}
	if f.counter != nil {
		errs = append(errs, f.counter.Close())
	}
	if f.counters != nil {
		errs = append(errs, f.counters.Close())
	}
	if f.hierarchy != nil {
		errs = append(errs, f.hierarchy.Close())
	}
	if f.meters != nil {
		errs = append(errs, f.meters.close())
	}
	return errors.Join(errs...)
}

// announce prints what is followed.
func (f *follower) announce() {
	of := "of version 2"
	if f.hierarchy.Name != cgroup.Version2 {
		of = "of version 1, by " + f.hierarchy.Name
	}
	line := fmt.Sprintf("ebb: follows the cgroups %s at %s; Ctrl-C ends it", of, f.hierarchy.Root)
	if f.server != nil {
		line += fmt.Sprintf("; metrics at http://%s/metrics", f.server.listener.Addr())
	}
	if f.uncounted != "" {
		line += "; " + f.uncounted
	}
	if f.settings.SlurmFile != "" && !f.meters.measured() {
		line += "; without a meter Slurm's file has no jobs"
	}
	if f.settings.Guests != "" && f.guests == nil {
		line += "; without a meter no guest gets a file"
	}
	paragraph(f.std.Err, line)
	if unread := f.meters.open.Unread(); unread != "" {
		paragraph(f.std.Err, "ebb: "+unread)
	}
	if f.settings.PowerModel != nil && f.meters.model == nil {
		paragraph(f.std.Err, "ebb: the power model is not used, because the machine has a meter")
	}
}

// run books a window each interval. Within an interval it also reads meters whose counters would
// wrap.
func (f *follower) run(ctx context.Context) error {
	if err := f.meters.begin(); err != nil {
		return fmt.Errorf("--power-model: %w", err)
	}
	r, err := f.counter.Read()
	if err != nil {
		return err
	}
	f.begin, f.whole, f.at = r.At, r.At, r.At
	f.metered, f.apart = f.meters.from, r.Until.Sub(f.meters.from)
	end := units.Instant(0)
	if f.settings.For > 0 {
		end = f.begin + units.Instant(f.settings.For)
	}
	every := f.settings.Every
	look := every
	if p := f.meters.open.Period(); p > 0 {
		look = min(look, p)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	due, looked := f.begin.Add(every), f.begin
	for {
		if end > 0 {
			due = min(due, end)
		}
		// Requests do not put off a reading: a counter may wrap.
		timer.Reset(min(due, looked.Add(look)).Sub(monotonic.Now()))
		select {
		case <-ctx.Done():
			return f.window()
		case reply := <-f.server.requests():
			if err := f.serve(reply); err != nil {
				return err
			}
			continue
		case <-timer.C:
		}
		looked = monotonic.Now()
		if looked < due {
			f.meters.look()
			continue
		}
		if err := f.window(); err != nil {
			return err
		}
		if end > 0 && f.at >= end {
			return nil
		}
		// A machine that was too busy for an interval gets a longer one.
		due = max(due+units.Instant(every), f.at+units.Instant(every/2))
	}
}

// window ends a window, and books and shows it.
func (f *follower) window() error {
	a := f.meters.cut()
	r, err := f.counter.Read()
	if err != nil {
		return err
	}
	if online, err := sysfs.OnlineCPUs(f.sysfs); err == nil {
		drop(r.Idle, online)
	}
	w := f.members.window(r, f.places.of, f.places.count)
	w.From, w.To = f.at, r.At
	w.Used, w.Low, w.High, w.Blind = a.used, a.low, a.high, a.blind
	if f.meters.from > 0 {
		apart := r.Until.Sub(f.meters.from)
		w.Metered, w.Apart = f.meters.from.Sub(f.metered), max(apart, f.apart)
		f.metered, f.apart = f.meters.from, apart
	}
	f.at, f.refused, f.metrics = r.At, f.refused+r.Refused, nil
	if err := f.account.Book(&w); err != nil {
		return err
	}
	blind := f.meters.blind(&a)
	if r.Refused > 0 || f.members.unnamed > 0 || !f.account.Whole() || blind {
		f.whole = f.at
	}
	f.members.forget(f.counter.Forget)
	for _, n := range f.members.ended {
		f.account.End(n, f.at)
	}
	f.members.ended = f.members.ended[:0]
	if f.guests != nil {
		for _, err := range f.guests.write(f.report(), w.Groups, w.To.Sub(w.From), !blind) {
			f.warn(err)
		}
	}
	return f.show()
}

func (f *follower) report() *Report {
	r := reported(f.account, f.meters, f.at.Sub(f.begin))
	r.Hierarchy, r.Refused, r.ShareIdle = f.hierarchy.Name, f.refused, f.settings.ShareIdle
	return r
}

// show gives the report to each recipient that gets one every interval.
func (f *follower) show() error {
	s := f.settings
	if s.JSON {
		if err := json.NewEncoder(printable.JSON(f.std.Out)).Encode(f.report()); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	if f.jobs.path != "" {
		f.warn(f.jobs.replace(f.report().jobs(f.whole, f.at, s.Every)))
	}
	if f.textfile.path == "" {
		return nil
	}
	text, err := f.exposition()
	if err != nil {
		return err
	}
	f.warn(f.textfile.replace(text))
	return nil
}

// warn prints an error of a recipient of windows. The account goes on.
func (f *follower) warn(err error) {
	if err != nil {
		paragraph(f.std.Err, "ebb: "+err.Error())
	}
}

// serve answers a request for the metrics.
func (f *follower) serve(reply chan<- []byte) error {
	text, err := f.exposition()
	reply <- text
	return err
}

// exposition returns the metrics. It makes their text once a window, however often it is asked for.
func (f *follower) exposition() ([]byte, error) {
	if f.metrics != nil {
		return f.metrics, nil
	}
	var text bytes.Buffer
	if err := f.report().exposition(&text); err != nil {
		return nil, err
	}
	f.metrics = text.Bytes()
	return f.metrics, nil
}
