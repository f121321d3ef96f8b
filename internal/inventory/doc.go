// Package inventory describes this machine: its kernel, its processor, the power that its sensors
// and batteries show in sysfs, and the packages that it has installed.
package inventory
