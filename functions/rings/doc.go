// Package rings reads what an instrumented program writes into the memory that it shares with ebb:
// its calls by function, and records of single invocations.
//
// The program can write anything there. Nothing here trusts a number in it, and no call hands over
// more than its caller allows. Only the process without rights runs this.
package rings
