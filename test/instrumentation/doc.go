// Package instrumentation measures what sampling avoids: Chappie's table 1, in which every method
// reads the energy when it begins and when it returns, at every call or at 5 % of them.
//
// Agent.java instruments a program's classes while they are loaded, by Debian's ASM. It is no part
// of ebb. "make instrumentation" runs the benchmark and writes docs/figures/instrumentation.txt.
package instrumentation
