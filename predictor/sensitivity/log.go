package sensitivity

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Hold is the time for which a sample says where its thread is.
const Hold = 50 * time.Millisecond

// Bounds of what is kept.
const (
	maxLogged  = 1 << 14
	maxSamples = 1 << 12 // samples of a thread that no epoch has come to yet
)

// Log holds the last samples of each thread. It is for one goroutine; New makes one.
type Log struct {
	shares  Shares
	highest units.Frequency
	threads map[epochs.TID]*thread
	trust   trust
	seen    Coverage
	dropped units.Instant // time at which the table was found to be wrong; 0 if it was not

	epoch  epochs.Epoch // the last epoch extended
	rows   []epochs.Row
	values []int64
}

// thread is the log's state of a thread.
type thread struct {
	samples []Sample // in order of time; the first one holds at the beginning of the next epoch
	visit   visit
	between interval
	period  time.Duration // recent mean time between samples
}

// Coverage holds the running time, and the part of it that had a share.
type Coverage struct {
	Running time.Duration // running time of all threads
	Known   time.Duration // part of Running in functions that the table has
}

// NewLog makes a log that has no samples. Highest is the machine's highest frequency,
// and a clock holds for a quantum at least.
func NewLog(s Shares, highest units.Frequency, quantum time.Duration) *Log {
	return &Log{shares: s, highest: highest, threads: map[epochs.TID]*thread{},
		trust: trust{trial: trial{shortest: max(shortestStretch, 3*quantum)}}}
}

// Take takes a sample. Those of a thread come in order; an older one than the last is dropped.
func (l *Log) Take(s Sample) {
	t := l.threads[s.Thread]
	if t == nil {
		if len(l.threads) >= maxLogged {
			l.sweep(s.At)
		}
		if len(l.threads) >= maxLogged {
			return
		}
		t = &thread{}
		l.threads[s.Thread] = t
	}
	if n := len(t.samples); n > 0 {
		gap := s.At.Sub(t.samples[n-1].At)
		if gap < 0 {
			return
		}
		if t.period == 0 {
			t.period = min(gap, Hold)
		}
		t.period += (min(gap, Hold) - t.period) / 8
	}
	if len(t.samples) >= maxSamples {
		t.samples = t.samples[1:]
	}
	if int(s.Function) >= len(l.shares.Share) {
		s.Function = UnknownFunction
	}
	t.samples = append(t.samples, s)
}

// sweep drops the threads whose last sample says nothing any more.
func (l *Log) sweep(now units.Instant) {
	for id, t := range l.threads {
		if n := len(t.samples); n == 0 || now.Sub(t.samples[n-1].At) > Hold {
			delete(l.threads, id)
		}
	}
}

// Extend returns an epoch that ran at the given clock, each of its rows with one value more: the
// time that does not scale. The result is valid until the next call. Epochs come in order.
func (l *Log) Extend(e *epochs.Epoch, clock units.Frequency) *epochs.Epoch {
	l.epoch, l.rows, l.values = *e, l.rows[:0], l.values[:0]
	from, to := units.Instant(e.Start), units.Instant(e.Start+e.Dur)
	var excess float64
	for i := range e.Rows {
		r := e.Rows[i]
		fixed := 0.0
		if r.Thread != epochs.NoThread {
			fixed = l.fixed(r.Thread, from, to, clock)
			excess += fixed * (1 - float64(clock)/float64(l.highest))
		}
		n := len(l.values)
		l.values = append(append(l.values, r.Values...), int64(math.Round(fixed)))
		r.Values = l.values[n:len(l.values):len(l.values)]
		l.rows = append(l.rows, r)
	}
	if n := len(e.Rows); n > 0 {
		l.trust.credited += excess / float64(n)
	}
	l.epoch.Rows = l.rows
	for i := range e.Ends {
		if x := &e.Ends[i]; x.Kind == epochs.EndExit {
			l.exit(x.Thread, to)
		}
	}
	return &l.epoch
}

// exit forgets a thread that has ended. Later samples with its id belong to another thread.
func (l *Log) exit(id epochs.TID, at units.Instant) {
	t := l.threads[id]
	if t == nil {
		return
	}
	delete(l.threads, id)
	for i, s := range t.samples {
		if s.At >= at {
			l.threads[id] = &thread{samples: t.samples[i:]}
			return
		}
	}
}

// fixed returns the part of a thread's time that does not scale, in ns.
func (l *Log) fixed(id epochs.TID, from, to units.Instant, clock units.Frequency) (ns float64) {
	l.seen.Running += to.Sub(from)
	t := l.threads[id]
	if t == nil {
		return 0
	}
	for len(t.samples) > 1 && t.samples[1].At <= from {
		t.samples = t.samples[1:]
	}
	clocked := float64(clock) / float64(l.highest)
	add := func(fn FunctionNumber, from, to units.Instant) {
		if from >= to {
			return
		}
		share := l.shares.at(fn, clock)
		if fn != UnknownFunction {
			l.seen.Known += to.Sub(from)
		}
		l.trust.spend(&t.visit, fn, to.Sub(from), t.period, share, clocked)
		t.between.spend(fn, to.Sub(from), share, clocked)
		if l.trust.state == Wrong {
			if l.dropped == 0 {
				l.dropped = to
			}
			return
		}
		ns += share * float64(to.Sub(from))
	}
	at := from
	for i, s := range t.samples {
		if s.At >= to {
			break
		}
		end := min(to, s.At.Add(Hold))
		if i+1 < len(t.samples) {
			end = min(end, t.samples[i+1].At)
		}
		add(UnknownFunction, at, max(at, s.At))
		begin := max(at, s.At)
		if s.At >= from {
			l.trust.counted(&t.between, &s)
		}
		add(s.Function, begin, end)
		at = max(begin, end)
	}
	add(UnknownFunction, at, to)
	return ns
}

// Coverage returns the coverage of the run so far.
func (l *Log) Coverage() Coverage { return l.seen }

// Dropped returns the time at which the table was found to be wrong; 0 if it was not.
func (l *Log) Dropped() units.Instant { return l.dropped }
