package instrumented

import "encoding/binary"

// Settings holds what ebb asks of the program's library.
type Settings struct {
	Groups   uint32 // number of groups, of which one has its turn in each period; 0, 1: one has all
	Grouping Grouping
	Pick     Pick
	Records  uint32 // most records of a function, a thread and a period; 0 is 1
	Divided  uint32 // records of a thread and a period that its functions share, beyond Records
	Seed     uint64 // seed of the groups that are made by chance
	Events   []Event
}

// Event is a counter as perf_event_open(2) has it.
type Event struct {
	Type   uint32
	Config uint64
}

var le = binary.LittleEndian

// none is the type of no counter.
const none = 1<<32 - 1

// Encode makes the first page of the memory. Nothing is profiled until a period begins.
func (s *Settings) Encode() []byte {
	b := make([]byte, ClaimsAt)
	le.PutUint32(b, LayoutMagic)
	le.PutUint32(b[4:], LayoutVersion)
	le.PutUint32(b[groupsAt:], s.Groups)
	le.PutUint32(b[groupingAt:], uint32(s.Grouping))
	le.PutUint32(b[pickAt:], uint32(s.Pick))
	le.PutUint32(b[recordsOf:], s.Records)
	le.PutUint64(b[seedAt:], s.Seed)
	le.PutUint32(b[dividedAt:], s.Divided)
	for i := range Counters {
		if i >= len(s.Events) {
			le.PutUint32(b[typesAt+4*i:], none)
			continue
		}
		le.PutUint32(b[typesAt+4*i:], s.Events[i].Type)
		le.PutUint64(b[eventsAt+8*i:], s.Events[i].Config)
	}
	return b
}

// PeriodAt is the place of the period's number, 32 bits; 0 while nothing is profiled.
const PeriodAt = periodAt
