package epochs

// pending holds the epochs that have ended, oldest first: from head to out those that nobody has
// taken yet, and from out to tail those that still wait. Its two rings, of epochs and of rows, grow
// to the bounds they are given; positions in them count up and never wrap.
type pending struct {
	n                  int // number of counters
	maxEpochs, maxRows uint64

	epochs          []waitingEpoch
	head, out, tail uint64

	rows                     []Row
	links                    []link // link of each row
	rowHead, rowOut, rowTail uint64
}

// waitingEpoch is an epoch with the state that is needed to let it out.
type waitingEpoch struct {
	Epoch
	rowAt uint64 // position of its first row
	rowN  int
	open  int // number of rows that wait for a slice
}

func (e *waitingEpoch) end() Ticks { return e.Start + e.Dur }

// link ties the rows that wait for one slice.
type link struct {
	epoch uint64 // position of the row's epoch
	next  uint64 // position of the thread's next row
}

const (
	firstEpochs  = 64
	firstRows    = 256
	endsPerEpoch = 4
)

func newPending(n, maxEpochs, maxRows int) pending {
	return pending{
		n:         n,
		maxEpochs: uint64(max(maxEpochs, 2)),
		maxRows:   powerOfTwo(max(maxRows, 2*MaxRunning)),
	}
}

// powerOfTwo returns the smallest power of two not below n.
func powerOfTwo(n int) uint64 {
	p := uint64(1)
	for p < uint64(n) {
		p *= 2
	}
	return p
}

// waits reports whether an epoch waits.
func (p *pending) waits() bool { return p.out != p.tail }

// oldest and newest return the oldest and the newest epoch that waits.
func (p *pending) oldest() *waitingEpoch { return p.epoch(p.out) }
func (p *pending) newest() *waitingEpoch { return p.epoch(p.tail - 1) }

func (p *pending) epoch(at uint64) *waitingEpoch { return &p.epochs[at&uint64(len(p.epochs)-1)] }
func (p *pending) row(at uint64) *Row            { return &p.rows[at&uint64(len(p.rows)-1)] }
func (p *pending) link(at uint64) *link          { return &p.links[at&uint64(len(p.links)-1)] }

// fits reports whether one more epoch, of n rows, may wait.
func (p *pending) fits(n int) bool {
	if !p.waits() {
		return true
	}
	return p.tail-p.out < p.maxEpochs && p.rowPlace(n)+uint64(n)-p.rowOut <= p.maxRows
}

// makeRoom has the rings hold one more epoch, of n rows. They have twice the room of what may wait:
// if it is used up, whoever takes epochs has not done so for long, and loses the oldest.
func (p *pending) makeRoom(n int) {
	for p.tail-p.head >= 2*p.maxEpochs {
		p.pop()
	}
	if p.tail-p.head == uint64(len(p.epochs)) {
		p.growEpochs()
	}
	for !p.rowsFit(n) {
		if uint64(len(p.rows)) < 2*p.maxRows {
			p.growRows()
		} else {
			p.pop()
		}
	}
}

// rowPlace returns where n rows in one piece can begin, if there is room.
func (p *pending) rowPlace(n int) uint64 {
	size := uint64(len(p.rows))
	at := p.rowTail
	if size > 0 && at&(size-1)+uint64(n) > size {
		at = (at | (size - 1)) + 1
	}
	return at
}

func (p *pending) rowsFit(n int) bool {
	if p.head == p.tail {
		return n <= len(p.rows)
	}
	return p.rowPlace(n)+uint64(n)-p.rowHead <= uint64(len(p.rows))
}

// push adds an epoch of n rows, for which there is room.
func (p *pending) push(n int) *waitingEpoch {
	at := p.rowPlace(n)
	if p.head == p.tail {
		p.rowHead = at
	}
	if !p.waits() {
		p.rowOut = at
	}
	p.rowTail = at + uint64(n)
	e := p.epoch(p.tail)
	p.tail++
	e.rowAt, e.rowN, e.open = at, n, 0
	e.Ends = e.Ends[:0]
	return e
}

// release lets the oldest epoch that waits out.
func (p *pending) release() {
	e := p.oldest()
	p.rowOut = e.rowAt + uint64(e.rowN)
	p.out++
}

// pop removes the oldest epoch that is out. It stays readable until the next push.
func (p *pending) pop() *waitingEpoch {
	e := p.epoch(p.head)
	e.Rows = nil
	if e.rowN > 0 {
		i := e.rowAt & uint64(len(p.rows)-1)
		e.Rows = p.rows[i : i+uint64(e.rowN) : i+uint64(e.rowN)]
	}
	p.rowHead = e.rowAt + uint64(e.rowN)
	p.head++
	return e
}

func (p *pending) growEpochs() {
	old := p.epochs
	size := max(firstEpochs, 2*len(old))
	p.epochs = make([]waitingEpoch, size)
	for at := p.head; at < p.tail; at++ {
		*p.epoch(at) = old[at&uint64(len(old)-1)]
	}
	ends := make([]End, size*endsPerEpoch)
	for i := range p.epochs {
		if p.epochs[i].Ends == nil {
			p.epochs[i].Ends = ends[i*endsPerEpoch : i*endsPerEpoch : (i+1)*endsPerEpoch]
		}
	}
}

// growRows doubles the ring of rows. Rows in one piece stay so: a piece that crosses no multiple of
// the old size crosses none of the new one.
func (p *pending) growRows() {
	old, oldLinks := p.rows, p.links
	size := max(firstRows, 2*len(old))
	p.rows, p.links = make([]Row, size), make([]link, size)
	values := make([]int64, size*p.n)
	for i := range p.rows {
		p.rows[i].Values = values[i*p.n : (i+1)*p.n : (i+1)*p.n]
	}
	if len(old) == 0 {
		return
	}
	for at := p.rowHead; at < p.rowTail; at++ {
		i := at & uint64(len(old)-1)
		r := p.row(at)
		r.Thread, r.Uncounted = old[i].Thread, old[i].Uncounted
		copy(r.Values, old[i].Values)
		*p.link(at) = oldLinks[i]
	}
}
