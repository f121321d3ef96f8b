package symbols

// former is a mapping of code of a file that a process had, and has no more: a program unloads a
// library, and may load another one to the same place. Names are asked for at the end, so the
// addresses that are sampled there later get a number.
type former struct {
	mapping
	until uint64 // number of the change that ended it; the first one is 1
}

// changedBit marks an address whose number is that of the process's last change, and not a moment.
const changedBit = 1 << 62

// Bounds of the changes of a process's mappings. Beyond them, what is sampled where a library was
// unloaded counts as the last one's that was kept.
const (
	maxFormer  = 1 << 10
	maxChanges = 1<<(62-momentShift) - 1
)

// change keeps those of a process's mappings before that a new reading has not, and returns their
// number. Memory of no file counts where a file's code was.
func (p *process) change(before []mapping) (kept int) {
	for i := range before {
		m := &before[i]
		if m.file == nil && !p.was(m.Start) || p.still(m) || len(p.former) >= maxFormer ||
			p.changes >= maxChanges {
			continue
		}
		p.former = append(p.former, former{*m, p.changes + 1})
		kept++
	}
	if kept > 0 {
		p.changes++
	}
	return kept
}

// still reports whether the code of a mapping lies where it did, in however many pieces.
func (p *process) still(m *mapping) bool {
	for _, addr := range []uint64{m.Start, m.End - 1} {
		now, ok := find(p.maps, addr)
		if !ok || now.file != m.file || now.Offset-now.Start != m.Offset-m.Start {
			return false
		}
	}
	return true
}

// at returns the former mapping that an address lay in after a number of changes; nil where it
// counts as one of now.
func (p *process) at(addr, changes uint64) (m *mapping) {
	until := uint64(maxChanges + 1)
	for i := range p.former {
		f := &p.former[i]
		if f.Start <= addr && addr < f.End && f.until > changes && f.until < until {
			m, until = &f.mapping, f.until
		}
	}
	return m
}

// was reports whether a mapping that is no more had an address.
func (p *process) was(addr uint64) bool { return p.changes > 0 && p.at(addr, 0) != nil }

// Bounds of the time from one reading of a process's mappings to the next that nothing but time
// asks for, in ns: a library at a known place can be another one. The time doubles where a reading
// shows that nothing was unloaded, and is long for a long list.
const (
	shortestPause = 1_000_000_000
	longestPause  = 16 * shortestPause
	pausePerByte  = 10_000
)

// noticePause is the least time between two readings that samples ask for, in ns. It is longer by
// as much again for each some changes: a program that loads and unloads all the time is read less
// often, and keeps room for its changes. Where a reading finds no change it doubles, up to
// longestPause: a program that maps and unmaps memory all the time gives the same notice.
const (
	noticePause = 10_000_000
	someChanges = 16
)

// Notice notes a sample's number of its process's mappings (stacks.Sample.Maps). Where that is
// another than at the sample before, they are soon read again.
func (r *Resolver) Notice(i Image, maps uint16) {
	if p := r.process(i, 0); maps != 0 {
		p.moved = p.moved || maps != p.number
		p.number = maps
	}
}

// again reads a process's mappings if it is time to. Now is the time of a sample, in ns.
func (r *Resolver) again(p *process, now uint64) {
	if p.gone || !p.lived || now == 0 {
		return
	}
	if p.next == 0 {
		p.pause, p.brief = shortestPause, noticePause
	} else if now < p.next && (!p.moved || now < p.soon) {
		return
	} else {
		changes := p.changes
		r.refresh(p)
		p.pause, p.brief = min(2*p.pause, longestPause), min(2*p.brief, longestPause)
		if p.changes != changes {
			p.pause, p.brief = shortestPause, noticePause*(1+p.changes/someChanges)
		}
	}
	least := uint64(p.listed) * pausePerByte
	p.next = now + max(p.pause, least)
	p.soon = now + max(p.brief, least)
	p.moved = false
}
