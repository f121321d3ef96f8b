// Package serve runs ebb as a service: it reads the tenants from the files of a directory, answers
// to systemd, hands out leases, has tenants come and go, and has package run govern them until a
// signal ends it. For ebb join it takes a lease from a service, and runs a command under it.
package serve
