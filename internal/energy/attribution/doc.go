// Package attribution finds out while a run goes on what its energy goes to. It watches the
// governor's events as an observer and changes nothing: slices of threads come from them, call
// stacks from a sampler in the kernel, energy from the machine's meters or from a power model, time
// of other programs from /proc/stat. At the end it makes a profile.Profile.
package attribution
