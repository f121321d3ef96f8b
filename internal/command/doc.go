// Package command has the common parts of ebb's subcommands: failures and exit statuses, the
// reading of flags, help and the manual page, the writing of files, progress, the fitting of text
// to a terminal, writes that may wait (Scribe), and the end at a signal.
package command
