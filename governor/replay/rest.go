package replay

import (
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/coalesce"
	"github.com/ebb-energy/ebb/units"
)

// spans returns the bounds of a rest, in the format's order.
func spans(b *coalesce.Bounds) []*coalesce.Span {
	return []*coalesce.Span{&b.Run, &b.Switches, &b.Pace, &b.Requests}
}

func (e *encoder) silence(s *governor.Silence) {
	e.signed(int64(s.From))
	e.signed(int64(s.Until))
	for _, span := range spans(&s.Within) {
		e.unsigned(span.Low)
		e.unsigned(span.High)
	}
}

func (d *decoder) silence() (s governor.Silence) {
	s.From, s.Until = units.Instant(d.signed()), units.Instant(d.signed())
	for _, span := range spans(&s.Within) {
		span.Low, span.High = d.unsigned(), d.unsigned()
	}
	return s
}
