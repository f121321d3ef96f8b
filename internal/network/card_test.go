package network

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

// TestEnergy: 1 Gbit/s moves 125 MB in a second.
func TestEnergy(t *testing.T) {
	for _, tt := range []struct {
		card  Card
		bytes uint64
		want  units.Energy
	}{
		{Card{1000, 1.1}, 125_000_000, 1_100_000_000},
		{Card{100, 0.5}, 125_000_000, 5_000_000_000},
		{Card{1000, 1}, 1, 8},
		{Card{1000, 1}, 0, 0},
		{Card{100_000, 20}, 1000, 1600},
	} {
		if got := tt.card.energy(tt.bytes); got != tt.want {
			t.Errorf("%+v takes %v for %d bytes, want %v", tt.card, got, tt.bytes, tt.want)
		}
	}
}

// TestDivide: parts add up to the whole to the last nJ, and each is within 1 nJ of what its bytes
// take.
func TestDivide(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 10))
	for range 1000 {
		c := Card{1 + r.IntN(100_000), units.Power(0.01 + 30*r.Float64())}
		bytes := make([]uint64, r.IntN(20))
		var all uint64
		for i := range bytes {
			bytes[i] = r.Uint64N(1 << (1 + r.IntN(40)))
			all += bytes[i]
		}
		var sum units.Energy
		for i, e := range c.Divide(bytes) {
			sum += e
			if off := e - c.energy(bytes[i]); off < -1 || off > 1 {
				t.Fatalf("%+v: %d bytes get %v, their own are %v", c, bytes[i], e,
					c.energy(bytes[i]))
			}
		}
		if want := c.energy(all); sum != want {
			t.Fatalf("%+v: parts of %v add up to %d nJ, the whole is %d nJ", c, bytes, sum, want)
		}
	}
}

// TestDivideEnergy: what is divided by bytes adds up to the nJ, and each is within 1 nJ of its
// share.
func TestDivideEnergy(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	for range 1000 {
		energy := units.Energy(r.Uint64N(1 << (1 + r.IntN(62))))
		bytes := make([]uint64, 1+r.IntN(20))
		var all, sum float64
		for i := range bytes {
			if r.IntN(4) > 0 {
				bytes[i] = r.Uint64N(1 << (1 + r.IntN(50)))
			}
			all += float64(bytes[i])
		}
		rest := energy
		for i, e := range Divide(energy, bytes) {
			rest -= e
			sum += float64(e)
			want := float64(energy) * (float64(bytes[i]) / all)
			if bytes[i] == 0 && e != 0 ||
				all > 0 && math.Abs(float64(e)-want) > 1+1e-9*float64(energy) {
				t.Fatalf("%d nJ over %v: %d bytes get %d nJ, want %.0f", energy, bytes, bytes[i], e,
					want)
			}
		}
		if all > 0 && rest != 0 || all == 0 && sum != 0 {
			t.Fatalf("%d nJ over %v: %d nJ are missing", energy, bytes, rest)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []Card{{0, 1}, {-1, 1}, {maxMbps + 1, 1}, {1000, 0}, {1000, -1}} {
		if c.Check() == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	if err := (Card{1000, 1.1}).Check(); err != nil {
		t.Error(err)
	}
}
