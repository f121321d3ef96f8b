// Package attribution finds out while a run goes on where its energy goes. It watches the
// governor's events as an observer and changes nothing. Slices of threads come from the events,
// call stacks from a sampler in the kernel, energy from the machine's meters or from a power model,
// and the time of other programs from /proc/stat. At the end it makes a profile.Profile.
package attribution
