// Package command has what ebb's subcommands share: how one fails and with which exit status, how
// it reads its flags, prints its help and its manual page, writes a file, shows progress, fits text
// to a terminal, writes where a write may wait (Scribe) and ends at a signal.
package command
