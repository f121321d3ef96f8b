package cgroup

// ReadEvery is the pace of a Lookout.
const ReadEvery = readEvery

// Readings is the number of times that a Lookout has read what the kernel notifies.
func (l *Lookout) Readings() int { return l.readings }
