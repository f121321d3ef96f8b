// Package front is the process that answers those who ask a service. It has no rights: it has the
// listening sockets, reads the board (package board), and is the only part of ebb that parses what
// strangers send.
package front
