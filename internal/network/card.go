package network

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/ebb-energy/ebb/units"
)

// maxMbps bounds a link's speed.
const maxMbps = 10_000_000

// Card is a network card by its data sheet: what it draws while bytes are on its wire at its link's
// speed.
type Card struct {
	Mbps  int // 10^6 bit/s
	Power units.Power
}

// Check returns what is wrong with a card; nil: nothing.
func (c Card) Check() error {
	switch {
	case c.Mbps <= 0 || c.Mbps > maxMbps:
		return fmt.Errorf("a link of %d Mbit/s is not between 1 and %d", c.Mbps, maxMbps)
	case !(c.Power > 0) || math.IsInf(float64(c.Power), 1):
		return errors.New("a card's power is above zero")
	}
	return nil
}

// energy returns the card's energy for bytes: t E of e-Surgeon's equation 6, for the one state
// that the link's speed is, with t the time on the wire.
//
// Printed, the equation has another d / t_total, by which a card is charged at full power for the
// whole of a cycle in which one byte was sent. That is a mean power times a time, as in equation 5;
// here the time is the one that the card worked.
func (c Card) energy(bytes uint64) units.Energy {
	nj := math.Round(float64(bytes) * 8000 / float64(c.Mbps) * float64(c.Power)) // ns W
	return units.Energy(min(nj, math.MaxInt64/2))
}

// Divide returns the part of each in what the card takes for all of them, by bytes (equation 10).
// The parts add up to the card's energy for the sum of the bytes (equation 11).
func (c Card) Divide(bytes []uint64) []units.Energy {
	parts := make([]units.Energy, len(bytes))
	var sum uint64
	var given units.Energy
	for i, b := range bytes {
		sum += b
		parts[i] = c.energy(sum) - given
		given += parts[i]
	}
	return parts
}

// Divide returns the part of each in an energy, by bytes (e-Surgeon, equation 10), in whole nJ that
// add up to it. When there are no bytes nobody gets anything.
func Divide(energy units.Energy, bytes []uint64) []units.Energy {
	parts := make([]units.Energy, len(bytes))
	var all, sum uint64
	for _, b := range bytes {
		all += b
	}
	var given units.Energy
	for i, b := range bytes {
		if sum += b; b > 0 {
			// sum / all of it, rounded down: 128 bits for the product.
			high, low := bits.Mul64(uint64(max(energy, 0)), sum)
			part, _ := bits.Div64(high, low, all)
			parts[i] = units.Energy(part) - given
			given += parts[i]
		}
	}
	return parts
}
