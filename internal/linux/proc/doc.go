// Package proc reads what the kernel says of processes and of the CPUs' time: /proc/PID/stat
// (proc_pid_stat(5)), /proc/stat (proc_stat(5)), the most memory that a process has had, the CPUs
// that a thread may run on, and how this process's namespaces differ from the machine's first ones,
// which BPF programs see.
//
// It also keeps the processes that ebb starts from what is not theirs, and takes their status, and
// that of orphans where ebb is a container's first process.
// Another user's command shares ebb's terminal, which is its caller's: a character that a program
// puts into a terminal's input (TIOCSTI) is as good as one that the caller has typed into a shell.
// StartConfined starts a command that cannot. A caller may be root, and have a secret file or a
// connection open: SealInherited keeps those descriptors from all that ebb starts.
package proc
