package sandbox

import (
	"slices"
	"sort"
	"time"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// made is code that a Java virtual machine made. The machine can throw it away and put other code
// into its place, so what was read of it holds for a while only.
type made struct {
	protocol.Origin
	read  units.Instant // time at which it was asked for
	asked units.Instant // time at which it was asked for again
}

const (
	// Code that samples show is read again after readAgain, and counts as unknown after trusted.
	// A machine frees compiled code some collections or sweeps after its last activation.
	readAgain, trusted = 100 * time.Millisecond, 250 * time.Millisecond
	maxMade            = 1 << 12 // codes of one process
)

// at returns the made code that an address lies in, however long ago it was read; nil: none is
// known.
func (p *processOrigins) at(addr uint64) *made {
	i := sort.Search(len(p.made), func(i int) bool { return p.made[i].Start > addr })
	if i == 0 || addr >= p.made[i-1].End {
		return nil
	}
	return &p.made[i-1]
}

// find returns the made code that an address lies in; nil, true where what was read of it holds no
// more. It asks for code again that was read a while ago.
func (p *processOrigins) find(addr uint64, now units.Instant) (*protocol.Origin, bool) {
	x := p.at(addr)
	if x == nil {
		return nil, false
	}
	age := now.Sub(x.read)
	if age >= readAgain && now.Sub(x.asked) >= readAgain && len(p.wanted) < protocol.MaxOrigins {
		x.asked = now
		p.wanted = append(p.wanted, addr)
	}
	if age >= trusted {
		return nil, true
	}
	return &x.Origin, true
}

// takeMade puts the made code of an answer in the place of what was known there, and returns the
// number of its pieces.
func (o *Origins) takeMade(p *processOrigins, list []protocol.Origin) (found int) {
	for i := range list {
		x := &list[i]
		if !x.Made {
			continue
		}
		found++
		o.places -= len(p.made)
		if len(p.made) >= maxMade {
			p.made = slices.DeleteFunc(p.made, func(x made) bool {
				return p.asked.Sub(x.read) >= trusted
			})
		}
		first := sort.Search(len(p.made), func(i int) bool { return p.made[i].End > x.Start })
		last := first
		for last < len(p.made) && p.made[last].Start < x.End {
			last++
		}
		p.made = slices.Delete(p.made, first, last)
		if len(p.made) < min(maxMade, maxAllPlaces-o.places) {
			p.made = slices.Insert(p.made, first, made{Origin: *x, read: p.asked, asked: p.asked})
		}
		o.places += len(p.made)
	}
	return found
}
