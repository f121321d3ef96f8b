package chart

import (
	"regexp"
	"strconv"
	"testing"
)

// TestNumbersAreClear: no number stands on a level, on its bar's reference, or on a heading.
func TestNumbersAreClear(t *testing.T) {
	b := Bars{Groups: []string{"a"}, Sections: []Section{{Name: "heading"}}, Height: 330,
		Levels: []Level{{"budget", 5}}, Series: []Series{{Name: "s"}}, Reference: "paper"}
	number := regexp.MustCompile(`<text class="small" x="[^"]*" y="([^"]*)"`)
	heading := regexp.MustCompile(`<text class="soft" x="[^"]*" y="([^"]*)"[^>]*>heading<`)
	level := regexp.MustCompile(`<line class="level" x1="62.0" y1="([^"]*)" x2="944.0"`)
	mark := regexp.MustCompile(`<path class="ref" d="M[^ ]* ([0-9.]*)`)
	at := func(svg string, re *regexp.Regexp) float64 {
		m := re.FindStringSubmatch(svg)
		if m == nil {
			t.Fatalf("no %v in %s", re, svg)
		}
		y, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	for v := -6.0; v <= 12; v += 0.05 {
		for _, ref := range []float64{-5.5, 1, 4.8, 5, 5.2, v, v + 0.3} {
			b.Series[0].Values, b.Series[0].Reference = []float64{v}, []float64{ref}
			svg := b.SVG()
			y := at(svg, number)
			if l := at(svg, level); y-numberAbove < l && y+numberBelow > l {
				t.Fatalf("%v, reference %v: the number at %v stands on the level at %v", v, ref, y,
					l)
			}
			m := at(svg, mark) // the top of the mark
			if y-numberAbove < m+2*halfReference-0.1 && y+numberBelow > m+0.1 {
				t.Fatalf("%v, reference %v: the number at %v stands on the mark at %v", v, ref, y,
					m)
			}
			if h := at(svg, heading); y-numberAbove < h+numberBelow {
				t.Fatalf("%v, reference %v: the number at %v touches the heading at %v", v, ref, y,
					h)
			}
		}
	}
}

// TestMarksBeyondTheAxis: each has its number, and stays within the figure.
func TestMarksBeyondTheAxis(t *testing.T) {
	r := Rows{Names: []string{"a"}, X: Axis{Min: -50, Max: 50}, Signed: true}
	for _, v := range []float64{-54.8, 51, 70, 120, -300} {
		r.Series = append(r.Series, Series{Name: "s", Values: []float64{v}})
	}
	svg := r.SVG()
	x := regexp.MustCompile(`<text class="small" x="([^"]*)" y="[^"]*" text-anchor="([^"]*)">([^<]*)<`)
	found := map[string]bool{}
	for _, m := range x.FindAllStringSubmatch(svg, -1) {
		left, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		right := left + 0.9*width(m[3])
		if m[2] == "end" {
			left, right = left-0.9*width(m[3]), left
		}
		if left < width("a") || right > defaultWidth {
			t.Errorf("%s from %v to %v", m[3], left, right)
		}
		found[m[3]] = true
	}
	for _, want := range []string{"◂ −54.8", "+51.0 ▸", "+70.0 ▸", "+120.0 ▸", "◂ −300.0"} {
		if !found[want] {
			t.Errorf("no %q in %v", want, found)
		}
	}
}
