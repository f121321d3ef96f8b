package perturbation

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/units"
)

// oneRun is the measurements of one run.
type oneRun struct {
	wall      time.Duration
	undelayed time.Duration // wall without waiting for CPUs that others had; 0 when unknown
	cpu       time.Duration // CPU time of all its threads
	machine   cpus          // times of the machine's CPUs meanwhile
	energy    units.Energy  // energy of all packages by the machine's meters; 0 when unknown
	frequency Run
	footprint map[string]float64
	facts     facts
	report    []byte // report as ebb run wrote it
}

// reference runs the command alone.
func (s *Search) reference(ctx context.Context, period, run int) (r oneRun, err error) {
	cmd := exec.CommandContext(ctx, s.argv[0], s.argv[1:]...)
	var said tail
	cmd.Stderr = &said // as when it is observed
	environment := s.Environment
	if environment == nil {
		environment = os.Environ()
	}
	cmd.Env = slices.Concat(environment, s.region.environment())
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.As}
	s.region.begin(monotonic.Now().Add(s.WarmUp))
	before, known := s.reading()
	var queue turns
	began := readCPUs()
	readings, from, to, err := s.watch(cmd, &queue)
	r.machine = readCPUs().since(began)
	if err != nil {
		return r, fmt.Errorf("run %s: %w%s", s.argv[0], err, said.quoted())
	}
	if from, err = s.warm(from, to); err != nil {
		return r, err
	}
	r.wall = to.Sub(from)
	if s.whole() {
		r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if waited, known := queue.waited(r.cpu); known {
			r.undelayed = undelayed(r.wall, r.cpu, waited)
		}
	}
	if after, ok := s.reading(); ok && known && s.whole() {
		r.energy = after - before
	}
	if s.region != nil {
		if r.wall, err = s.region.end(ctx, to); err != nil {
			return r, err
		}
	}
	r.frequency = sampledRun(readings, from, to, s.Epoch)
	s.samples.write(period, run, "reference", r.wall, s.cores, r.frequency)
	return r, nil
}

// warm returns the time at which a run's warm-up ends. A run that ends before that is an error.
func (s *Search) warm(from, to units.Instant) (units.Instant, error) {
	if begin := from.Add(s.WarmUp); begin < to {
		return begin, nil
	}
	return 0, fmt.Errorf("%s ended after %s, within its warm-up of %s", s.argv[0],
		printable.Duration(to.Sub(from)), printable.Duration(s.WarmUp))
}

// whole reports whether runs count from begin to end.
func (s *Search) whole() bool { return s.WarmUp == 0 && s.region == nil }

// observed runs the command under ebb. Time and frequencies are those of the command's own life,
// not of ebb's.
func (s *Search) observed(ctx context.Context, period, run int) (r oneRun, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	dir, err := safefile.TemporaryDirectory()
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "report.json")
	// Chappie divides energy. Without a meter ebb divides that of the paper's processor.
	args := []string{"run", "--quiet", "--shadow", "--methods", "--as-if", "table2",
		"--rate", fmt.Sprint(rateOf(period)), "--sysfs", s.Sysfs, "--report", file}
	if s.User != "" { // else ebb run finds who called sudo
		args = append(args, "--user", s.User)
	}
	if len(s.KeepEnv) > 0 {
		args = append(args, "--keep-env", strings.Join(s.KeepEnv, ","))
	}
	if s.WarmUp > 0 {
		args = append(args, "--warm-up", s.WarmUp.String())
	}
	if s.region != nil {
		args = append(args, "--regions")
	}
	args = append(args, "--")
	cmd := exec.CommandContext(ctx, self, append(args, s.argv...)...)
	var said tail
	cmd.Stderr = &said
	began := readCPUs()
	readings, _, _, err := s.watch(cmd, nil)
	r.machine = readCPUs().since(began)
	if err != nil {
		return r, fmt.Errorf("run %s under ebb: %w%s", s.argv[0], err, said.quoted())
	}
	text, err := safefile.ReadAll(file, report.MaxBytes)
	if err != nil {
		return r, err
	}
	rep, err := report.Decode(text)
	if err != nil {
		return r, fmt.Errorf("run %s under ebb: %w", s.argv[0], err)
	}
	if rep.Attribution == nil {
		return r, fmt.Errorf("run %s under ebb: the report has no methods", s.argv[0])
	}
	from := units.Instant(rep.StartedNS)
	to := from.Add(time.Duration(rep.WallNS))
	if from, err = s.warm(from, to); err != nil {
		return r, err
	}
	r.wall = to.Sub(from)
	if s.whole() {
		r.energy = packagesUsed(rep)
	}
	r.frequency = sampledRun(readings, from, to, s.Epoch)
	p := rep.Attribution
	if err := p.Check(); err != nil {
		return r, fmt.Errorf("run %s under ebb: %w", s.argv[0], err)
	}
	if s.region != nil {
		if p, err = p.Within(s.region.cut); err != nil {
			return r, err
		}
		r.wall = time.Duration(p.WallNS)
	}
	s.samples.write(period, run, "observed", r.wall, s.cores, r.frequency)
	r.report = text
	if r.facts, err = factsOf(p, unmeasured(rep)); err != nil {
		return r, err
	}
	if s.whole() {
		r.cpu = r.facts.cpu
		if waited, known := waitedObserved(rep, r.cpu); known {
			r.undelayed = undelayed(r.wall, r.cpu, waited)
		}
	}
	v, err := profile.NewView(p, "method", nil)
	if err != nil {
		return r, err
	}
	if r.footprint = map[string]float64{}; r.facts.failed != "" {
		return r, nil // without measured energy no shares can settle
	}
	for _, row := range p.Rows(v, 0) {
		r.footprint[row.Unit] = float64(row.Energy)
	}
	return r, nil
}

// tail keeps the end of a command's output.
type tail []byte

const tailBytes = 1000

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p[max(len(p)-tailBytes, 0):]...)
	if len(*t) > tailBytes {
		*t = slices.Delete(*t, 0, len(*t)-tailBytes)
	}
	return len(p), nil
}

// quoted returns the output as the end of an error.
func (t tail) quoted() string {
	if s := strings.TrimSpace(string(t)); s != "" {
		return ": " + s
	}
	return ""
}

// watch runs a command from its begin to its end and reads the cores' frequencies in the middle of
// each epoch, and its threads' turns unless queue is nil.
func (s *Search) watch(
	cmd *exec.Cmd, queue *turns,
) (readings []reading, from, to units.Instant, err error) {
	// ebb passes the signal on to the program; if killed, it would leave the program running.
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	from = monotonic.Now()
	start := cmd.Start
	if s.Within != nil && cmd.SysProcAttr != nil && cmd.SysProcAttr.Credential != nil {
		start = func() error { return s.Within(cmd.Start) } // the user's limits are not for ebb
	}
	if err := start(); err != nil {
		return nil, 0, 0, err
	}
	ended := make(chan struct{})
	go func() {
		proc.Over(cmd.Process.Pid)
		close(ended)
	}()
	timer := time.NewTimer(s.Epoch / 2)
	defer timer.Stop()
	var look <-chan time.Time
	if queue != nil {
		queue.pid = cmd.Process.Pid
		look = time.After(queue.next())
	}
	// The meters are read at a run's begin and end alone, unless they could wrap twice in between.
	metered, most := from, s.meters.Period()
	for next := from.Add(s.Epoch / 2); ; {
		select {
		case <-ended:
			to = monotonic.Now()
			queue.read(s.now)
			return readings, from, to, cmd.Wait()
		case <-look:
			queue.read(s.now)
			look = time.After(queue.next())
		case <-timer.C:
			now := monotonic.Now()
			if len(s.cores) > 0 {
				readings = append(readings, reading{At: now, Hz: s.frequencies()})
			}
			s.region.read()
			if most > 0 && now.Sub(metered) >= most-s.Epoch {
				s.reading()
				metered = now
			}
			for next <= now {
				next = next.Add(s.Epoch)
			}
			timer.Reset(next.Sub(now))
		}
	}
}

// frequencies reads the frequencies of all cores.
func (s *Search) frequencies() (hz []float64) {
	for _, core := range s.cores {
		khz, err := s.fs.ReadInt(core.file)
		if err != nil {
			khz = 0 // a core that is offline runs at no frequency
		}
		hz = append(hz, float64(khz)*1000)
	}
	return hz
}
