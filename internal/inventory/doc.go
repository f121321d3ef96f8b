// Package inventory describes this machine: its kernel, its processor, and the power that its
// sensors and batteries show in sysfs.
package inventory
