// Package network counts the bytes that a program's processes send and receive, and says what a
// network card takes for them by a linear model (e-Surgeon: A. Noureddine et al., INRIA RR-7846,
// equations 6, 10 and 11).
//
// They are counted in the kernel, where the calls that send and receive return: the bytes that the
// program handed over and got, by whatever system call, without headers, acknowledgements and
// retransmissions. Traffic that stays on the machine is counted apart, because no card carries it:
// peers in 127.0.0.0/8, ::1 and the machine's own addresses.
//
// No machine reports the power of its card. The energy is modelled, from the power and the speed
// that the user takes from the card's data sheet; without them no energy is given.
package network
