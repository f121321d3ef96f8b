// Package wattmeter says what the readings of a meter of the whole machine are worth: a plug or a
// power supply that another program logs, a sensor, a battery. Such a meter shows a power now and
// then, late and in steps, unlike RAPL, which counts energy in small ones. So energy is the mean
// over the covered time, and the readings themselves show how often and in which steps they change.
// How late they come shows where the load changes.
package wattmeter
