package run

import (
	"os"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// measureOverhead starts the measurement of ebb's cost to the target, and measures now the cost of
// each of tracing's interrupts. If that fails, the report says that they are left out.
func (r *run) measureOverhead() {
	if states := r.Actuator.States(); r.Actuator.Name() != cpufreq.Shadow {
		r.Actuator.Set(states[len(states)-1]) // the cost is least there, as the program's time is
	}
	cost, err := bpf.InterruptCost()
	if err != nil {
		r.Report.Warnings = append(r.Report.Warnings,
			err.Error()+": ebb's own cost is without its interrupts")
	}
	r.Report.InterruptNS = int64(cost)
	r.Computer.Overhead(func() (displaced, traced time.Duration) {
		displaced, traced = r.Tracer.Overhead(cost)
		if r.SamplingCost != nil {
			traced += r.SamplingCost(cost)
		}
		return displaced, traced
	})
}

// addOverhead reports the resources of this process and its guardian, and what the guardian did.
// The guardian has ended by then.
func (r *run) addOverhead(done *report.Report) error {
	r.ownCPU = ownCPU()
	done.OwnCPUNS = r.ownCPU
	r.ownPeak = proc.PeakMemory("self")
	done.OwnRSSBytes = r.ownPeak
	if r.guardian == nil {
		return nil
	}
	if from, to, ok := r.guardian.Stall(); ok {
		done.StalledNS = int64(to.Sub(from))
	}
	done.Warnings = append(done.Warnings, r.guardian.Notes()...)
	used := r.guardian.Cost()
	done.OwnCPUNS += int64(used.CPU)
	done.OwnRSSBytes += used.PeakRSS
	return nil
}

// addLate adds the memory by which this process has grown since addOverhead, and the CPU time that
// it has used since, for example for names of methods. The attribution gets the same CPU time.
func (r *run) addLate(done *report.Report) {
	now, used := proc.PeakMemory("self"), ownCPU()
	done.OwnRSSBytes += max(now-r.ownPeak, 0)
	done.OwnCPUNS += max(used-r.ownCPU, 0)
	r.ownPeak, r.ownCPU = now, used
	if a := done.Attribution; a != nil {
		a.OwnCPUNS = done.OwnCPUNS
	}
}

// addStatus reports the exit status of a command that ebb started.
func (r *run) addStatus(done *report.Report) {
	if state := r.Host.ExitState(); state != nil {
		status := int(command.OfProgram(state))
		done.ExitStatus = &status
	}
}

// ownCPU returns the CPU time of this process so far, in ns; 0 when that is not known. Windows
// count ebb's time by the same clock. getrusage(2) lacks the time of a running thread since its
// last tick.
func ownCPU() int64 {
	d, _ := proc.Used(os.Getpid())
	return int64(d)
}
