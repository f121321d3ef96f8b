// Package serve runs ebb as a service: it reads the tenants from the files of a directory, answers
// to systemd, and has package run govern them until a signal ends it.
package serve
