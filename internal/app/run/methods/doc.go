// Package methods has the instruments that look into the program: the energy of its threads,
// methods and regions by samples and marks, the calls of its functions, what it sends and receives,
// its garbage collections, and what its functions keep of a clock.
package methods
