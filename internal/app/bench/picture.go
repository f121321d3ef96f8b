package bench

import (
	"io"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

// Size of the picture, and the most fixed frequencies that have their name beside their mark. The
// picture is as wide as a page of text, so that its letters are as high as the text's.
const (
	pictureWidth  = 800
	pictureHeight = 420
	pictureNames  = 8
)

// hasPicture reports whether writeSVG has anything to draw: a finished round with energy.
func (r *Result) hasPicture() bool { return len(r.planes()) > 0 }

// writeSVG writes the page's first drawing, slowdown and processor energy, as a picture that needs
// nothing else. Its title says what ran and where. It draws the fixed frequencies up to twice the
// largest budget, two thirds as far as the page does, and names some.
func (r *Result) writeSVG(w io.Writer) error {
	p := r.planes()[0]
	p.Title = r.title()
	p.Desc = "Slowdown and processor energy. " + p.Desc
	p.Width, p.Height = pictureWidth, pictureHeight
	for i := range p.Curves {
		if c := &p.Curves[i]; c.Joined {
			c.Points = some(c.Points, 100*r.reach()*2/3)
		}
	}
	_, err := io.WriteString(w, chart.Document(p))
	return err
}

// some returns the points up to a slowdown in percent, a few of which keep their names.
func some(points []chart.Point, most float64) (out []chart.Point) {
	for _, q := range points {
		if q.X <= most {
			out = append(out, q)
		}
	}
	every := (len(out) + pictureNames - 1) / pictureNames
	for i := range out {
		out[i].Named = i%every == 0
	}
	return out
}
