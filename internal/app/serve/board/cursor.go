package board

import (
	"math"
	"strings"
)

// cursor goes through the words of a record, to write it or to read it. Each type of record has one
// list of its fields for both.
type cursor struct {
	words []uint64
	at    int
	write bool
}

// number writes or reads the next word as a number.
func number[T ~int | ~int64 | ~uint64 | ~uint16](c *cursor, v *T) {
	if c.write {
		c.words[c.at] = uint64(*v)
	} else {
		*v = T(c.words[c.at])
	}
	c.at++
}

// truth writes or reads the next word as a boolean: 0 is false, another number true.
func truth(c *cursor, v *bool) {
	var n uint64
	if *v {
		n = 1
	}
	number(c, &n)
	*v = n != 0
}

// real writes or reads the next word as the bits of a floating-point number.
func real[T ~float64](c *cursor, v *T) {
	n := math.Float64bits(float64(*v))
	number(c, &n)
	*v = T(math.Float64frombits(n))
}

// text writes or reads the next words as bytes, up to the first 0. A text that does not fit is cut.
func text[T ~string](c *cursor, v *T, words int) {
	if c.write {
		for i := range words {
			var w uint64
			for k := range 8 {
				if at := 8*i + k; at < len(*v) {
					w |= uint64((*v)[at]) << (8 * k)
				}
			}
			c.words[c.at+i] = w
		}
		c.at += words
		return
	}
	var b strings.Builder
	for i := range 8 * words {
		ch := byte(c.words[c.at+i/8] >> (8 * (i % 8)))
		if ch == 0 {
			break
		}
		b.WriteByte(ch)
	}
	c.at += words
	*v = T(b.String())
}
