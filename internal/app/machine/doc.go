// Package machine follows all cgroups of a machine, and says whose its energy was: as a table, as
// lines of JSON, and as metrics for Prometheus.
package machine
