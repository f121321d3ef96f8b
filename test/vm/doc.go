// Package vm has the tests that run inside a virtual machine: the built ebb on a real kernel's
// cpufreq, powercap and perf subsystems. tools/test-vm.sh boots it with this package's tests as
// its first process. Elsewhere they are skipped.
//
// The virtual machine has no clock to change. The kernel module in platform gives it one, with
// energy meters and a PMU that agree with it, and slows tasks down according to the clock. The
// tests show that ebb's parts work together on a kernel, and that its control is right. They do not
// show that ebb's predictions fit real processors.
package vm
