// Package table reads and writes epoch tables: files of synchronisation epochs, with what each
// running thread's counters advanced in them. A Writer gets its epochs from an Assembler; a Reader
// takes what a Writer or a simulator wrote. Neither opens a file: the caller does.
//
// An epoch table is text, compressed by gzip when its name ends in .gz. Line 1 is "# " and a JSON
// object, the Header; line 2 has the names of the columns, separated by commas; then comes one row
// per epoch and running thread, those of an epoch together:
//
//	# {"workload":"flip","freq_mhz":1000,"n_threads":2,"total_ns":900,"epochs":2,"time_unit":"ns"}
//	epoch,t_start,dur,end_events,tid,insts
//	0,0,500,S1<0,0,1200
//	1,500,400,F,0,900
//	1,500,400,F,1,880
//
// Numbers are whole and not negative. A stretch in which no thread ran is a single row with tid -1,
// or a gap between the end of an epoch and the t_start of the next. A column "hole" is 1 where
// records were lost. Four optional columns divide the time of the threads that do not run
// (epochs.Waits): "runnable", "throttled", "wait_program" and "wait_world". They are sums over
// threads, the same in all rows of an epoch.
//
// # Adding a column
//
// A counter needs nothing here: every column that has no role is one. A column with a meaning of
// its own needs its name (format.go), its role (columns.go), the writer's line of names and rows
// (write.go, check.go), and what a Reader makes of it (row.go).
package table
