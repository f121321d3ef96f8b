// Package meters has the instruments that measure the machine's power and energy: the meters of
// its processors, a meter of the whole machine, batteries, and the trained model that takes a
// meter's place.
package meters
