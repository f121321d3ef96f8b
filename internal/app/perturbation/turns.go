package perturbation

import (
	"os"
	"time"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

const (
	// turnsEvery is the least time between two readings of a program's turns.
	turnsEvery = 20 * time.Millisecond
	// turnsPart bounds the time of reading, as a part of the time between two readings.
	turnsPart = 500
	// maxThreads bounds the threads that are read. A program can have any number.
	maxThreads = 10_000
	// stolenPart bounds the time that a hypervisor takes during a round, as a part of the CPU time
	// of all programs, and stolenTick is the unit in which the kernel counts it.
	stolenPart = 200
	stolenTick = 10 * time.Millisecond
)

// turns adds up how long the threads of a program alone ran and waited for CPUs, by reading it of
// those that live. It is nil for a program that is observed.
type turns struct {
	pid     int
	threads map[int]proc.Turns // newest reading of each living thread, by id
	ended   proc.Turns         // sum of the threads whose ids others have now
	took    time.Duration      // time that the newest reading took
}

// read reads the turns of all threads.
func (t *turns) read(now func() time.Time) {
	if t == nil {
		return
	}
	begin := now()
	proc.EachThread(t.pid, maxThreads, func(pid, tid int) {
		if x, err := proc.ReadTurns(pid, tid); err == nil {
			t.take(tid, x)
		}
	})
	t.took = now().Sub(begin)
}

// take takes what a thread's line says. One that has run less than before is another thread.
func (t *turns) take(tid int, x proc.Turns) {
	if t.threads == nil {
		t.threads = map[int]proc.Turns{}
	}
	if before := t.threads[tid]; x.Ran < before.Ran {
		t.ended = t.ended.Plus(before)
	}
	t.threads[tid] = x
}

// next returns the time until the next reading.
func (t *turns) next() time.Duration { return max(turnsEvery, turnsPart*t.took) }

// waited returns for how long all threads waited for CPUs, of a program that used some CPU time in
// all; false if too few of its threads were seen to know. Threads wait as much for each second that
// they run, whether or not their last readings came before their end.
func (t *turns) waited(cpu time.Duration) (time.Duration, bool) {
	sum := t.ended
	for _, x := range t.threads {
		sum = sum.Plus(x)
	}
	if sum.Ran <= 0 || sum.Ran < cpu/2 {
		return 0, false
	}
	return time.Duration(float64(sum.Waited) * max(float64(cpu)/float64(sum.Ran), 1)), true
}

// undelayed returns a run's time without that in which its threads waited for CPUs. ran and waited
// are sums over threads. Where several ran or waited at once, one that waits holds up its part of
// the run.
func undelayed(wall, ran, waited time.Duration) time.Duration {
	atOnce := max(float64(ran+waited)/float64(max(wall, 1)), 1)
	return wall - time.Duration(float64(waited)/atOnce)
}

// waitedObserved returns for how long the threads of an observed run that used some CPU time waited
// for CPUs; false where that is not known. As in the kernel's account of a run alone, the time of
// switches is waiting: a thread had the CPU and did not use it. So would stolen time be here, and
// not there (see tooMuch). Of waiting for ebb's own threads only the part counts that it would have
// been of the time without waiting, so that ebb slows the time without waiting by as much as the
// whole time.
func waitedObserved(r *report.Report, cpu time.Duration) (time.Duration, bool) {
	t := r.ThreadTime
	if t == nil || r.LostRecords > 0 || r.ProfiledNS < r.WallNS*99/100 {
		return 0, false
	}
	ran := float64(cpu)
	waited := max(float64(t.RunnableNS+t.ThrottledNS+t.RunningNS)-ran, 0)
	if ran+waited > 0 {
		waited -= min(float64(r.DisplacedNS), waited) * ran / (ran + waited)
	}
	return time.Duration(waited), true
}

// cpus is the time of all CPUs of the machine with programs, and that which a hypervisor took.
type cpus struct{ busy, stolen time.Duration }

// readCPUs returns the times since the machine's start; nothing stolen where it does not say.
func readCPUs() (c cpus) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return c
	}
	proc.EachCPU(string(text), func(l proc.CPULine, err error) {
		if err == nil && l.CPU == proc.AllCPUs {
			c = cpus{l.Busy(), l.Steal}
		}
	})
	return c
}

// since returns the times since an earlier reading.
func (c cpus) since(before cpus) cpus {
	return cpus{c.busy - before.busy, c.stolen - before.stolen}
}

// tooMuch reports whether a hypervisor took so much time during a round's two runs that their times
// without waiting cannot be compared: the kernel's account of a run alone does not have that time,
// and ebb's of an observed one has it as waiting. A hypervisor takes from whatever runs, from the
// program its part. Both runs together decide, so that a round is left out alike whichever of them
// was held up.
func tooMuch(a, b cpus) bool { return a.stolen+b.stolen > (a.busy+b.busy)/stolenPart+stolenTick }
