// Package machine follows all cgroups of a machine, and divides the machine's energy among them. It
// shows the result as a table, as lines of JSON, and as metrics for Prometheus.
package machine
