// Package serve runs ebb as a service: it reads the tenants from the files of a directory, hands out
// leases, answers to systemd, has tenants come and go, and has package run govern them until a
// signal ends it.
package serve
