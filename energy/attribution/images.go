package attribution

import (
	"github.com/ebb-energy/ebb/energy/symbols"
	"github.com/ebb-energy/ebb/units"
)

// images tells the programs apart that a process executed one after the other, and processes that had the same id: an
// address means something else in each.
type images struct {
	resolver *symbols.Resolver
	of       map[int][]tenure
}

// tenure is an image's time in a process.
type tenure struct {
	begin units.Instant
	image symbols.Image // NoImage: of which nothing was read before it was replaced
	open  bool          // not looked at yet: it gets an image when it is
}

func newImages(r *symbols.Resolver) *images { return &images{r, map[int][]tenure{}} }

// at is the image that a process had at a time.
func (m *images) at(pid int, when units.Instant) symbols.Image {
	all := m.of[pid]
	if len(all) == 0 {
		all = []tenure{{open: true}}
		m.of[pid] = all
	}
	i := len(all) - 1
	for i > 0 && all[i].begin > when {
		i--
	}
	if all[i].open {
		all[i].open, all[i].image = false, m.resolver.Image(pid)
	}
	return all[i].image
}

// replaced says that a process has another image from a time on. The mappings of the one before can not be read any more.
func (m *images) replaced(pid int, at units.Instant) {
	all := m.of[pid]
	if len(all) == 0 {
		all = []tenure{{}}
	}
	last := &all[len(all)-1]
	last.open = false
	if last.image != symbols.NoImage {
		m.resolver.Replaced(last.image)
	}
	m.of[pid] = append(all, tenure{begin: at, open: true})
}

// created says that a process or a thread has an id from a time on. It matters where a process had it before.
func (m *images) created(id int, at units.Instant) {
	if len(m.of[id]) > 0 {
		m.replaced(id, at)
	}
}
