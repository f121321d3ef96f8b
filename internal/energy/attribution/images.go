package attribution

import (
	"slices"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// images distinguishes the programs that a process executed one after the other, and processes that
// had the same id: an address means something else in each.
type images struct {
	reader  Reader
	count   protocol.Image // number of images so far
	of      map[int][]tenure
	tenures int // number of tenures of all processes
	useful  int // value of tenures when unused ones were dropped last
}

// tenure is an image's time in a process.
type tenure struct {
	begin units.Instant
	image protocol.Image // noImage: nothing was read of it before it was replaced
	open  bool           // not sampled yet: the first sample gives it an image
}

// noImage is a program that has gone, with all that could be found out about it.
const noImage protocol.Image = 0

func newImages(r Reader) *images { return &images{reader: r, of: map[int][]tenure{}} }

// at returns the image that a process had at a time.
func (m *images) at(pid int, when units.Instant) protocol.Image {
	all := m.of[pid]
	if len(all) == 0 {
		all = []tenure{{open: true}}
		m.of[pid] = all
		m.tenures++
	}
	i := len(all) - 1
	for i > 0 && all[i].begin > when {
		i--
	}
	if all[i].open {
		m.count++
		all[i].open, all[i].image = false, m.count
		m.reader.Bind(m.count, pid)
	}
	return all[i].image
}

// known returns the image that a process had at a time, if it had one that was ever asked for.
func (m *images) known(pid int, when units.Instant) (protocol.Image, bool) {
	all := m.of[pid]
	i := len(all) - 1
	for i > 0 && all[i].begin > when {
		i--
	}
	if i < 0 || all[i].open || all[i].image == noImage {
		return noImage, false
	}
	return all[i].image, true
}

// replaced notes that a process has another image from a time on. The mappings of the previous
// image can no longer be read.
func (m *images) replaced(pid int, at units.Instant) {
	all := m.of[pid]
	if len(all) == 0 {
		all = []tenure{{}}
		m.tenures++
	}
	last := &all[len(all)-1]
	last.open = false
	if last.image != noImage {
		m.reader.Unbind(last.image)
	}
	m.of[pid] = append(all, tenure{begin: at, open: true})
	m.tenures++
}

// created notes that a process or a thread has an id from a time on. It matters where a process had
// the id before.
func (m *images) created(id int, at units.Instant) {
	if len(m.of[id]) > 0 {
		m.replaced(id, at)
	}
}

// manyTenures is the growth in tenures since the last search for unused ones that starts another
// search.
const manyTenures = 4096

// over reports whether more is kept than is likely to be of use.
func (m *images) over() bool { return m.tenures > m.useful+manyTenures }

// current returns the images that living processes have now.
func (m *images) current(lives map[int]bool) map[protocol.Image]bool {
	out := map[protocol.Image]bool{}
	for pid, all := range m.of {
		if lives[pid] {
			out[all[len(all)-1].image] = true
		}
	}
	return out
}

// forget drops the images that are not in use. These are images of programs that were replaced a
// while ago, and the last image of a process that is no longer known.
func (m *images) forget(now units.Instant, used map[protocol.Image]bool, known map[int]bool) {
	m.tenures = 0
	for pid, all := range m.of {
		kept := make([]tenure, 0, len(all))
		for i, t := range all {
			over := t.begin // when it ended; when the last one began
			if i+1 < len(all) {
				over = all[i+1].begin
			}
			if used[t.image] || now.Sub(over) < allArrived || i+1 == len(all) && known[pid] {
				kept = append(kept, t)
			} else if t.image != noImage {
				m.reader.Forget(t.image)
			}
		}
		if m.tenures += len(kept); len(kept) == 0 {
			delete(m.of, pid)
		} else {
			m.of[pid] = slices.Clip(kept)
		}
	}
	m.useful = m.tenures
}
