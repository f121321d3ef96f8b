package jvm

// Window puts what was counted since the last call into a window's inputs, by name. The first call
// begins the account, as does one after Restart: it puts in zeros. Window reports whether anything
// has been counted since the account began.
func (f *Follower) Window(in map[string]float64) (counted bool, err error) {
	r, err := f.programs.Read()
	if err != nil {
		return false, err
	}
	windows, wall := f.account.next(r), r.At.Sub(f.last.At)
	f.last = r
	if windows == nil {
		putNone(in, f.events())
		return false, nil
	}
	put(in, f.events(), windows, wall)
	return f.account.Counts(), nil
}

// Counts returns the counts of all events so far, in their order.
func (f *Follower) Counts() ([]Count, error) {
	r, err := f.programs.Read()
	return r.Counts, err
}

// Restart begins the account anew: nothing is open. It is for a new target.
func (f *Follower) Restart() { f.account, f.last = account{}, reading{} }
