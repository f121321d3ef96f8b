package energy

// Strip is a picture of time of any length, in points of equal width. When there are too many
// points, every two become one, and later points are as wide. A strip that joined only the old
// points would in the end show one point for all time but the last moments.
type Strip[P any] struct {
	Points []P
	Most   int            // points, at least 2
	Join   func(a, b P) P // joins two points into one, b being the later one
	each   int            // number of added points that make one point
	in     int            // number of added points in the newest point
}

// Add adds what came next.
func (s *Strip[P]) Add(p P) {
	if s.in > 0 && s.in < s.each {
		last := &s.Points[len(s.Points)-1]
		*last = s.Join(*last, p)
		s.in++
		return
	}
	if len(s.Points) >= s.Most {
		half := s.Points[:0]
		for i := 0; i < len(s.Points); i += 2 {
			p := s.Points[i]
			if i+1 < len(s.Points) {
				p = s.Join(p, s.Points[i+1])
			}
			half = append(half, p)
		}
		s.Points, s.each = half, 2*max(s.each, 1)
	}
	s.Points, s.in = append(s.Points, p), 1
}
