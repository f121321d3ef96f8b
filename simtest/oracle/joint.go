package oracle

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Member is one of the programs that share a clock. Its budget is a share of the time in which it
// computes at the highest clock, as a governor's is: waits for the world are not to be made longer.
type Member struct {
	Sweep  *Sweep
	From   time.Duration // time at which the program comes
	Budget units.Slowdown
}

// Joint chooses the one clock of several programs, each with a budget of its own, with the least
// energy of all together. It knows each program's time and energy for each chunk of its work at
// each state, and where each of them is.
//
// # Prices
//
// Each program has a price of its time: what all would save if it had one ns more. The clock is the
// state at which the work that the programs are about to do costs least, its energy and its time at
// their prices together. A program that needs less than its budget has a price of 0. This is the
// Lagrangian of the problem, as in Dynamic, and for one program it is Dynamic's without the cost of
// changes.
//
// Prices alone jump from one mixture of states to another: where two states cost the same in a
// phase that comes again and again, all of its chunks change at once. So a program that has spent
// more of its budget than its work's share counts with a price a little higher, and one that has
// spent less with one a little lower. One whose budget is spent has the highest state.
//
// Fit finds prices by trying them on the tables. Two things are left out, as in Dynamic: that a
// choice decides which phases meet later, and what carries over from chunk to chunk. The machine's
// run counts.
type Joint struct {
	members []*member
	selfish bool
	quantum float64
	latest  int // index of the state in force
	states  []units.Frequency
	values  []float64 // values by state, kept for their room
}

// member is a Member and where it is.
type member struct {
	Member
	ends    []int64
	table   *problem
	highest []float64 // ns at the highest state, until the end of each chunk
	limit   float64   // ns that it may lose

	price, step float64
	rising      bool // direction of the last change of price

	present bool
	chunk   int
	part    float64 // part of the chunk that is done, 0 to 1
	took    float64 // ns since it came
	spent   float64 // share of its work at which its budget was spent
}

const (
	// giving is the share of a price that gives way to what was spent.
	giving = 0.05
	// rounds bounds the trials of prices.
	rounds = 60
	// steady is the share of the cost that a change of the clock must save.
	steady = 0.001
	// cheapest is a price that counts as none, in W.
	cheapest = 1e-3
)

// JointTables are the smoothings of the tables of which one may be best. Chance is less in programs
// that are made of long phases than in those of package workload.
var JointTables = []Smoothing{{4, 3}, {16, 3}, {64, 3}}

// NewJoint makes the choice for programs on a machine. A selfish choice is the highest of what each
// program would choose for itself at its price: the most that a rule of highest wishes can save
// where each knows its future, and the others'.
func NewJoint(
	p *hardware.Profile, members []Member, quantum time.Duration, table Smoothing, selfish bool,
) *Joint {
	j := &Joint{selfish: selfish, quantum: float64(quantum), states: p.States,
		latest: len(p.States) - 1, values: make([]float64, len(p.States))}
	for i := range members {
		m := &member{Member: members[i], price: 10, step: 0.7}
		m.ends = cut(m.Sweep.highest(), quantum)
		m.table = m.Sweep.table(Processor, m.ends)
		sum := 0.0
		for _, row := range m.table.Time {
			sum += row[len(row)-1]
			m.highest = append(m.highest, sum)
		}
		m.table.Time = smooth(m.table.Time, table.Window, table.Shapes)
		m.table.Cost = smooth(m.table.Cost, table.Window, table.Shapes)
		m.limit = float64(m.Sweep.highest().Computing) * float64(m.Budget)
		j.members = append(j.members, m)
	}
	return j
}

// left reports whether a member has work left.
func (m *member) left() bool { return m.chunk < len(m.ends) }

// done returns the time that a member's work so far takes at the highest state, in ns.
func (m *member) done() float64 {
	begin := 0.0
	if m.chunk > 0 {
		begin = m.highest[m.chunk-1]
	}
	if !m.left() {
		return begin
	}
	return begin + m.part*(m.highest[m.chunk]-begin)
}

// weight returns the price at which its time counts now; +Inf where nothing may be lost any more.
func (m *member) weight() float64 {
	lost, done := m.took-m.done(), m.done()
	switch {
	case lost >= m.limit*(1-unused):
		if m.spent == 0 {
			m.spent = done / m.highest[len(m.highest)-1]
		}
		return math.Inf(1)
	case m.price < cheapest:
		return 0
	case lost > m.limit*done/m.highest[len(m.highest)-1]:
		return m.price * (1 + giving)
	}
	return m.price * (1 - giving)
}

// choose returns the state for what the members are about to do.
func (j *Joint) choose() int {
	clear(j.values)
	highest, someone := -1, false
	for _, m := range j.members {
		if !m.present || !m.left() {
			continue
		}
		someone = true
		weight := m.weight()
		if math.IsInf(weight, 1) {
			return len(j.values) - 1
		}
		time, cost := m.table.Time[m.chunk], m.table.Cost[m.chunk]
		if j.selfish {
			for s := range j.values {
				j.values[s] = cost[s] + weight*time[s]
			}
			highest = max(highest, j.least())
			continue
		}
		rate := 1 / max(time[j.latest], 1)
		for s := range j.values {
			j.values[s] += (cost[s] + weight*time[s]) * rate
		}
	}
	switch {
	case !someone:
		return j.latest
	case j.selfish:
		return highest
	}
	return j.least()
}

func (j *Joint) least() int {
	least, which := lowest(j.values)
	if j.values[j.latest] <= least*(1+steady) {
		return j.latest
	}
	return which
}

// begin puts every program before its work again.
func (j *Joint) begin() {
	j.latest = len(j.states) - 1
	for _, m := range j.members {
		m.present, m.chunk, m.part, m.took, m.spent = false, 0, 0, 0, 0
	}
}

// Fit finds prices by trials on the tables.
func (j *Joint) Fit() {
	for range rounds {
		j.play()
		settled := true
		for _, m := range j.members {
			settled = m.adjust() && settled
		}
		if settled {
			break
		}
	}
	j.begin()
}

// play runs the programs by their tables.
func (j *Joint) play() {
	j.begin()
	for now, left := 0.0, len(j.members); left > 0; now += j.quantum {
		for _, m := range j.members {
			m.present = m.present || float64(m.From) <= now
		}
		j.latest = j.choose()
		for _, m := range j.members {
			if m.present && m.left() && !m.advance(j.quantum, j.latest) {
				left--
			}
		}
	}
}

// advance has a member work for some time at a state. It reports whether some work is left.
func (m *member) advance(ns float64, state int) bool {
	for m.left() {
		t := m.table.Time[m.chunk][state]
		if rest := (1 - m.part) * t; rest <= ns {
			ns, m.took = ns-rest, m.took+rest
			m.chunk, m.part = m.chunk+1, 0
			continue
		}
		m.part, m.took = m.part+ns/t, m.took+ns
		return true
	}
	return false
}

// adjust corrects a price after a trial. It reports whether the price can stay.
func (m *member) adjust() (settled bool) {
	const early, little = 0.97, 0.01
	lost := m.took - m.done()
	up := m.spent > 0 && m.spent < early
	down := lost < m.limit*(1-little) && m.price >= cheapest
	if !up && !down {
		return true
	}
	if up != m.rising {
		m.step *= 0.5
	} else {
		m.step = min(m.step*1.2, 1)
	}
	m.rising = up
	if up {
		m.price = max(m.price, cheapest) * math.Exp(m.step)
	} else {
		m.price *= math.Exp(-m.step)
	}
	return false
}

// Present says that a program is there, or has gone.
func (j *Joint) Present(i int, is bool) { j.members[i].present = is }

// At says how much work a program has done, and in what time.
func (j *Joint) At(i int, work int64, took time.Duration) {
	m := j.members[i]
	for m.left() && work >= m.ends[m.chunk] {
		m.chunk++
	}
	m.part, m.took = 0, float64(took)
	if !m.left() {
		return
	}
	begin := int64(0)
	if m.chunk > 0 {
		begin = m.ends[m.chunk-1]
	}
	m.part = float64(work-begin) / float64(m.ends[m.chunk]-begin)
}

// Clock returns the frequency for what the programs are about to do.
func (j *Joint) Clock() units.Frequency {
	j.latest = j.choose()
	return j.states[j.latest]
}
