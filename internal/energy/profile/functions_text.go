package profile

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Total returns the amount of all invocations. It returns none where a recursive function's amount
// is not known because no sample has it.
func (f *Function) Total(a Amounts, none string) string {
	if f.Recursive && f.TotalNJ == 0 {
		return none
	}
	return a.One(f.TotalNJ)
}

// CPUTime returns the mean CPU time of an invocation with three digits or so.
func (f *Function) CPUTime() string {
	return printable.Duration(time.Duration(f.CPUNS))
}

// Clock returns the machine's mean clock during invocations.
func (f *Function) Clock() string {
	if f.FreqHz <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f GHz", float64(f.FreqHz)/1e9)
}

// Coverage says in a sentence how much was called and profiled.
func (f *Functions) Coverage() string {
	s := fmt.Sprintf("%s of %s in %s; called once: %d; %s, of %s",
		printable.Count(int64(f.Calls), "call"), printable.Count(f.Called, "function"),
		printable.Count(int64(f.Threads), "thread"), f.Once,
		printable.Count(int64(f.Records), "record"), printable.Count(f.Profiled, "function"))
	if f.Instrumented > 0 {
		s += fmt.Sprintf("; never called: %d of %d instrumented", f.Never, f.Instrumented)
	}
	return s
}

// Gaps returns sentences on what was not seen, and on what counting itself took.
func (f *Functions) Gaps() (list []string) {
	say := func(n uint64, thing, what string) {
		if n > 0 {
			list = append(list, printable.Count(n, thing)+what)
		}
	}
	if f.HooksShare > 0 {
		list = append(list, fmt.Sprintf("counting and profiling took %.1f%% of it all, by samples",
			f.HooksShare*100))
	}
	say(f.RefusedThreads, "thread", " not counted: all places were taken, "+
		"and those of processes that have ended stay so")
	say(f.UncountedCalls, "call", " in no line: of too many functions, or of unknown processes")
	say(f.Unbegun, "invocation", " not profiled as planned: the thread lost its CPU just then, or "+
		"too deep a nesting")
	say(f.Abandoned, "profiled invocation", " ended without a return, and without a record")
	say(f.Open, "profiled invocation", " had not ended")
	say(f.Lost, "record", " written over before ebb could read")
	say(f.Unknown, "record", " without energy: the thread ran in no window of the ledger")
	say(f.Surplus, "record", " dropped: of too many functions")
	say(f.WithoutCounters, "thread", " without counters: this machine or its kernel refuses them")
	return list
}
