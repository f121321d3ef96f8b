package cpufreq

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// snapshotVersion is the format's version. Another version is refused: its values might mean
// something else.
const snapshotVersion = 1

// snapshot holds everything needed to put a machine back. On disk it is a JSON object, laid out by
// encode so that the held values can be changed in place.
type snapshot struct {
	Version  int     `json:"version"`
	PID      int     `json:"pid"`
	Started  string  `json:"started"` // RFC 3339; for people
	BootID   string  `json:"boot_id"` // "" when the kernel did not say
	Controls []entry `json:"controls"`
}

// ErrSnapshot: the snapshot file is damaged or of another version.
var ErrSnapshot = errors.New("unusable snapshot")

// slotAlign keeps the held values of a control within one 64-byte block of the file and so within
// one page: the kernel copies a page of a write wholly or not at all when the process is killed.
const slotAlign = 64

// encode returns the file's bytes, and for each control the offset of its held values.
func (s *snapshot) encode() (image []byte, slots []int) {
	image = fmt.Appendf(nil,
		"{\"version\":%d,\"pid\":%d,\"started\":%s,\"boot_id\":%s,\"controls\":[",
		s.Version, s.PID, quote(s.Started), quote(s.BootID))
	for i := range s.Controls {
		e := &s.Controls[i]
		if i > 0 {
			image = append(image, ',')
		}
		image = fmt.Appendf(image, "\n{\"domain\":%d,\"control\":%q,\"found\":%q,", e.Domain,
			e.Control, e.Found)
		const key = `"held":[`
		for (len(image)+len(key))%slotAlign != 0 {
			image = append(image, ' ')
		}
		image = append(image, key...)
		slots = append(slots, len(image))
		for k, v := range e.Held {
			if k > 0 {
				image = append(image, ',')
			}
			image = fmt.Appendf(image, "\"%-*s\"", maxValue, v)
		}
		image = append(image, "]}"...)
	}
	return append(image, "\n]}\n"...), slots
}

func quote(s string) []byte {
	b, _ := json.Marshal(s) // a string can always be marshalled
	return b
}

// decode reads a snapshot file and checks every value in it.
func decode(data []byte) (*snapshot, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var s snapshot
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows its end", ErrSnapshot)
	}
	if s.Version != snapshotVersion {
		return nil, fmt.Errorf("%w: version %d, not %d", ErrSnapshot, s.Version, snapshotVersion)
	}
	seen := map[string]bool{}
	for i := range s.Controls {
		e := &s.Controls[i]
		for k := range e.Held {
			e.Held[k] = strings.TrimRight(e.Held[k], " ")
		}
		if err := e.validate(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSnapshot, err)
		}
		if seen[e.path()] {
			return nil, fmt.Errorf("%w: %s is there twice", ErrSnapshot, e.path())
		}
		seen[e.path()] = true
	}
	return &s, nil
}

// putHeld writes held values into a control's place in the image.
func putHeld(slot []byte, values [heldValues]int64) {
	var buf [20]byte
	for k, v := range values {
		text := buf[:0]
		if v != 0 {
			text = strconv.AppendInt(text, v, 10)
		}
		putText(slot, k, text)
	}
}

// putText writes one held value into a control's place in the image, filled up with spaces.
func putText(slot []byte, k int, text []byte) {
	field := slot[k*(maxValue+3)+1:][:maxValue]
	for i := copy(field, text); i < maxValue; i++ {
		field[i] = ' '
	}
}
