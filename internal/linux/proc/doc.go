// Package proc reads what the kernel says of processes and of their CPU time: /proc/PID/stat
// (proc_pid_stat(5)), /proc/stat (proc_stat(5)), the most memory that a process has had, the CPUs
// that a thread may run on, and how this process's namespaces differ from the machine's first ones,
// which BPF programs see.
package proc
