package epochs

// An epoch table is text, compressed by gzip when its name ends in .gz. Line 1 is "# " and a JSON
// object, the Header; line 2 has the names of the columns, separated by commas; then comes one row
// per epoch and running thread, those of an epoch together:
//
//	# {"workload":"flip","freq_mhz":1000,"n_threads":2,"total_ns":900,"epochs":2,"time_unit":"ns"}
//	epoch,t_start,dur,end_events,tid,insts
//	0,0,500,S1<0,0,1200
//	1,500,400,F,0,900
//	1,500,400,F,1,880
//
// Numbers are whole and not negative. A stretch in which no thread ran is a single row with tid -1,
// or a gap between the end of an epoch and the t_start of the next. A column "hole" is 1 where
// records were lost.

// Bounds of a table. They keep a damaged or hostile file from taking up memory.
const (
	// MaxLine is the length of the longest line, in bytes.
	MaxLine = 1 << 20
	// MaxRows is the most rows of an epoch: as many as Linux knows CPUs.
	MaxRows = maxRunning
)

// Columns that make an epoch. All but hole must be there.
const (
	columnEpoch = "epoch"
	columnStart = "t_start"
	columnDur   = "dur"
	columnEnds  = "end_events"
	columnHole  = "hole"
	columnTID   = "tid"
)

// TimeUnit is the unit of a table's times.
type TimeUnit string

// A tracer tells ns, a simulator can tell ps.
const (
	Nanosecond TimeUnit = "ns"
	Picosecond TimeUnit = "ps"
)

// PerNs is how many of the unit are a nanosecond.
func (u TimeUnit) PerNs() int64 {
	if u == Picosecond {
		return 1000
	}
	return 1
}
