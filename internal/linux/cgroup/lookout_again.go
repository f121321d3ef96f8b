package cgroup

import "time"

// againAfter is the time after which a path that failed is tried again.
const againAfter = time.Second

// try does what look does. A path that fails has one change that says so, until it succeeds.
func (l *Lookout) try(i int, out []Change) []Change {
	failed := l.paths[i].failed
	out, err := l.look(i, out)
	if err != nil && !failed {
		out = append(out, Change{Path: i, What: Failed, Err: err})
	}
	l.looked(i, err)
	return out
}

// looked notes whether a path failed: for want of files or memory, which others may give back. The
// Next that waits is then interrupted after a while, so that it tries again.
func (l *Lookout) looked(i int, err error) {
	l.paths[i].failed = err != nil
	if err != nil && l.again.IsZero() {
		l.again = time.Now().Add(againAfter)
		time.AfterFunc(againAfter, func() { _ = l.Interrupt() }) // it fails for a closed one only
	}
}

// tryAgain tries the paths again that failed, if it is time.
func (l *Lookout) tryAgain() (out []Change) {
	if l.again.IsZero() || time.Now().Before(l.again) {
		return nil
	}
	l.again = time.Time{}
	for i := range l.paths {
		if l.paths[i].failed {
			out = l.try(i, out)
		}
	}
	return out
}
