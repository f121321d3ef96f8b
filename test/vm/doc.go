// Package vm has the tests that run inside a virtual machine: ebb, as it is built, on a real
// kernel's cpufreq, powercap and perf subsystems. scripts/test-vm.sh boots it with this package's
// tests as its first process. On any other machine they are skipped.
//
// The virtual machine has no clock to change. Below platform is a kernel module that gives it one,
// with energy meters and a PMU that agree with it, and that makes tasks as slow as the clock says.
// What comes out tests that ebb's parts work together on a kernel, and that its control is right.
// It says nothing about how well ebb's predictions fit real processors.
package vm
