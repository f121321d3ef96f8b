package cpufreq

import (
	"fmt"
	"os"
)

// record is the snapshot of a run in progress: a copy in memory, and the file, which one write
// brings up to date before controls are written. This order makes a kill at any moment harmless:
// first the file says what a control may hold, then the control is written.
type record struct {
	snap     *snapshot
	image    []byte
	slots    []int // offset of each control's held values
	file     *os.File
	from, to int // bounds of the part of image that is not in the file yet
}

func newRecord(s *snapshot) *record {
	r := &record{snap: s}
	r.image, r.slots = s.encode()
	r.clean()
	return r
}

func (r *record) clean() { r.from, r.to = len(r.image), 0 }

// index finds a control; -1 when the snapshot does not have it.
func (r *record) index(e entry) int {
	for i := range r.snap.Controls {
		if c := &r.snap.Controls[i]; c.Domain == e.Domain && c.Control == e.Control {
			return i
		}
	}
	return -1
}

// slotSize is the length of a control's held values in the file.
const slotSize = heldValues*(maxValue+3) - 1

func (r *record) slot(i int) []byte {
	r.from, r.to = min(r.from, r.slots[i]), max(r.to, r.slots[i]+slotSize)
	return r.image[r.slots[i]:][:slotSize]
}

// hold notes the values, in kHz, that control i may have by us; zeros for none.
func (r *record) hold(i int, values [heldValues]int64) { putHeld(r.slot(i), values) }

// holdText notes the one value that control i may have by us; "" for none.
func (r *record) holdText(i int, value string) {
	slot := r.slot(i)
	putHeld(slot, [heldValues]int64{})
	putText(slot, 0, []byte(value))
}

// flush brings the file up to date. A control may be written only after its note has been flushed.
func (r *record) flush() error {
	if r.from >= r.to {
		return nil
	}
	if _, err := r.file.WriteAt(r.image[r.from:r.to], int64(r.from)); err != nil {
		return fmt.Errorf("note what is about to be written: %w", err)
	}
	r.clean()
	return nil
}

// close closes the file.
func (r *record) close() {
	if r.file != nil {
		r.file.Close() // everything in it was written by flush, which reported errors
	}
}
