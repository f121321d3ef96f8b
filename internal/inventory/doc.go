// Package sensors reads the power that sensors and batteries of this machine show in sysfs.
package inventory
