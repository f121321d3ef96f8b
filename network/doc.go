// Package network counts the bytes that a program's processes send and receive, and says what a
// network card takes for them by a linear model (e-Surgeon: A. Noureddine et al., INRIA RR-7846,
// equations 6, 10 and 11).
//
// They are counted in the kernel, where the calls that send and receive return: what the program
// handed over and got, without headers, acknowledgements and retransmissions, whatever system call
// it used. What stays on the machine is counted apart, because no card has work with it: peers in
// 127.0.0.0/8, ::1 and the machine's own addresses.
//
// No machine tells what its card takes. The energy is modelled, by the power and the speed that the
// user takes from the card's data sheet, and there is none without them.
package network
