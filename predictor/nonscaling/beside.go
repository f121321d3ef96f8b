package nonscaling

// besideLoads finds the time for which a full store queue alone holds a thread up. While the oldest
// instruction is a load that waits beyond the core's clock domain, its time counts as the load's
// already, and the queue adds nothing to it. Two columns count the time in which the queue was
// full, and the part of it in which no such load was oldest. No column counts the share of either
// that held the thread up, so the same share is taken of both.
type besideLoads struct{ full, alone int } // columns; alone is -1 where it is not counted

func newBesideLoads(c Columns, full, alone string, without Rules) besideLoads {
	b := besideLoads{c.Index(full), c.Index(alone)}
	if b.full < 0 || without&BesideLoads != 0 {
		b.alone = -1
	}
	return b
}

// of returns the time that a full queue adds to the wait in the row v, where it held the thread up
// for the time held. Only the share fixed of the time that loads are waited for counts as such: the
// rest is a core's, and the queue is waited for instead.
func (b *besideLoads) of(held int64, v []int64, fixed float64) int64 {
	if b.alone < 0 || v[b.full] <= 0 {
		return held
	}
	beside := min(max(1-float64(v[b.alone])/float64(v[b.full]), 0), 1)
	return held - int64(float64(held)*beside*fixed+0.5)
}
