// Package cpuenergy answers how much energy a process has taken from the processor, for programs
// that adapt themselves to it: getCPUEnergy(PID, duration) of e-Surgeon (RR-7846).
//
// A Meter is the machine's own, which mostly only root may read, or a formula of the processor's
// thermal design power. The machine's energy is divided over all that ran, by CPU time (rule
// cpu-time of ebb run); they also get the energy that was used while nothing ran. Programs that run
// under ebb run --stream can read the ledger's finer division instead: see package
// internal/energy/stream.
//
//	m, err := cpuenergy.Open()
//	if err != nil { // no meter, or none for this user
//		m = cpuenergy.Formula(84, runtime.NumCPU())
//	}
//	used, err := m.Of(ctx, os.Getpid(), time.Second)
//	if used.Power() > 10 { ... }
package cpuenergy
