// Package baseline has the governors that ebb is compared with: those of Linux, and a linear model
// in the manner of EAR.
//
// Each is a Controller over what its model can see of a machine: once per sampling period, the time
// that each core was busy and the readings of its counters and the energy meters. The rules and
// constants are those of
//
//   - drivers/cpufreq/cpufreq_governor.c, cpufreq_ondemand.c and cpufreq_conservative.c,
//   - kernel/sched/cpufreq_schedutil.c, kernel/sched/pelt.c and pelt.h,
//   - EAR: src/library/policies/common/cpu_support.c,
//     src/library/models/energy_models/basic_model.c and src/tools/coeffs_compute.c.
//
// All cores are one frequency domain (a shared cpufreq policy), as the machines of simtest are.
//
// The models leave out what the simulated machine has no use for: niceness, real-time and deadline
// tasks, interrupts, utilisation clamps of tasks, and the kernel's correction for I/O waits. Where
// a model differs otherwise from its source, its comment says so.
package baseline
