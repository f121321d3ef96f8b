package devtest

// Desktop is the text of a machine whose two CPUs are on one clock, under a driver that takes
// requests. It is for tests that write: all numbers have seven digits, as plain files are not cut
// to length when they are written.
const Desktop = `
file 0444 devices/system/cpu/online
	0-1
file 0444 devices/system/cpu/cpufreq/policy0/affected_cpus
	0 1
file 0444 devices/system/cpu/cpufreq/policy0/related_cpus
	0 1
file 0444 devices/system/cpu/cpufreq/policy0/cpuinfo_min_freq
	1000000
file 0444 devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq
	4000000
file 0444 devices/system/cpu/cpufreq/policy0/scaling_available_frequencies
	4000000 3000000 2000000 1000000
file 0444 devices/system/cpu/cpufreq/policy0/scaling_available_governors
	userspace schedutil
file 0444 devices/system/cpu/cpufreq/policy0/scaling_driver
	acpi-cpufreq
file 0644 devices/system/cpu/cpufreq/policy0/scaling_governor
	schedutil
file 0644 devices/system/cpu/cpufreq/policy0/scaling_max_freq
	4000000
file 0644 devices/system/cpu/cpufreq/policy0/scaling_min_freq
	1000000
file 0644 devices/system/cpu/cpufreq/policy0/scaling_setspeed
	4000000
`
