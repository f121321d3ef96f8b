package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/ebb-energy/ebb/internal/energy"
)

// MaxLine bounds a line, in bytes. The longest that a run writes is a quarter of it.
const MaxLine = 256 << 10

// ErrFormat: the text is no line of a stream.
var ErrFormat = errors.New("not a line of ebb run --stream")

// Decode reads a line that may come from anybody.
func Decode(text []byte) (*Line, error) {
	if len(text) > MaxLine {
		return nil, fmt.Errorf("%w: %d bytes", ErrFormat, len(text))
	}
	var l Line
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, ErrFormat // the decoder's error speaks of its own names
	}
	if l.Schema != lineSchema || l.AtNS < 0 || l.EveryNS < 0 {
		return nil, ErrFormat
	}
	return &l, nil
}

// Encode returns the line as text, with its end.
func (l *Line) Encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		return nil, fmt.Errorf("write a line: %w", err)
	}
	return b.Bytes(), nil
}

// maxPoints bounds the points that a History keeps.
const maxPoints = 1024

// History is what a reader keeps of the lines before.
type History struct {
	Last                *Line // nil before the first line
	energy.Strip[Point]       // power of a run since its begin
	Bad                 int   // number of texts that were no lines
}

// Point is the power in a stretch of time.
type Point struct{ AtNS, DurNS, Watts float64 }

// Add takes the text of a line. Lines of a run before in the same stream are forgotten.
func (h *History) Add(text []byte) {
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	l, err := Decode(text)
	if err != nil {
		h.Bad++
		return
	}
	from := int64(0)
	if h.Last != nil {
		if from = h.Last.AtNS; l.AtNS < from || h.Last.Ended {
			h.Strip, from = energy.Strip[Point]{}, 0
		}
	}
	h.Last = l
	if l.AtNS > from && !math.IsNaN(l.Watts) && !math.IsInf(l.Watts, 0) {
		h.Most, h.Join = maxPoints, joined
		h.Strip.Add(Point{float64(from), float64(l.AtNS - from), l.Watts})
	}
}

func joined(a, b Point) Point {
	d := a.DurNS + b.DurNS
	return Point{a.AtNS, d, (a.Watts*a.DurNS + b.Watts*b.DurNS) / d}
}
