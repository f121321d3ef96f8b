// Package status asks a service for its state and shows the answers. They come from the front
// process, which reads what strangers send. So a process that asks as root becomes nobody before it
// reads them, and it prints nothing that a terminal obeys.
package status
