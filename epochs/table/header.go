package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Header is the first line of a table. The keys freq_mhz and time_unit are required.
type Header struct {
	Workload  string
	Frequency units.Frequency // frequency at which the program ran; freq_mhz
	Threads   int             // n_threads; 0 when missing
	// Total is the run time in TimeUnit, from total_ns (and total_ps in a table in ps); 0 when
	// missing.
	Total    epochs.Ticks
	Epochs   int // number of epochs with a row, idle ones included; 0 when missing
	TimeUnit epochs.TimeUnit
	Extra    map[string]json.RawMessage // the other keys, kept but for white space
}

const (
	keyWorkload  = "workload"
	keyFrequency = "freq_mhz"
	keyThreads   = "n_threads"
	keyTotalNs   = "total_ns"
	keyTotalPs   = "total_ps"
	keyEpochs    = "epochs"
	keyTimeUnit  = "time_unit"
)

// UnmarshalJSON reads the object of a table's first line.
func (h *Header) UnmarshalJSON(text []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	if all == nil {
		return errors.New("not an object")
	}
	*h = Header{}
	for _, k := range []struct {
		key      string
		required bool
		read     func(json.RawMessage) error
	}{
		{keyTimeUnit, true, h.readTimeUnit},
		{keyWorkload, false, func(v json.RawMessage) error {
			return json.Unmarshal(v, &h.Workload)
		}},
		{keyFrequency, true, h.readFrequency},
		{keyThreads, false, func(v json.RawMessage) error { return readCount(v, &h.Threads) }},
		{keyEpochs, false, func(v json.RawMessage) error { return readCount(v, &h.Epochs) }},
		{keyTotalNs, false, h.readTotalNs},
		{keyTotalPs, false, h.readTotalPs},
	} {
		v, ok := all[k.key]
		delete(all, k.key)
		switch {
		case !ok && k.required:
			return fmt.Errorf("no %q", k.key)
		case ok:
			if err := k.read(v); err != nil {
				return fmt.Errorf("%q: %w", k.key, err)
			}
		}
	}
	if len(all) > 0 {
		h.Extra = all
	}
	for key, v := range all {
		var b bytes.Buffer
		if err := json.Compact(&b, v); err != nil {
			return fmt.Errorf("%q: %w", key, err)
		}
		all[key] = b.Bytes()
	}
	return nil
}

func (h *Header) readTimeUnit(v json.RawMessage) error {
	if err := json.Unmarshal(v, &h.TimeUnit); err != nil {
		return err
	}
	if h.TimeUnit != epochs.Nanosecond && h.TimeUnit != epochs.Picosecond {
		return fmt.Errorf("%.20q is not ns or ps", string(h.TimeUnit))
	}
	return nil
}

func (h *Header) readFrequency(v json.RawMessage) error {
	hz, err := scaled(v, 6)
	if err == nil && hz == 0 {
		err = errors.New("no frequency is 0")
	}
	h.Frequency = units.Frequency(hz)
	return err
}

func (h *Header) readTotalNs(v json.RawMessage) error {
	digits := 0
	if h.TimeUnit == epochs.Picosecond {
		digits = 3
	}
	total, err := scaled(v, digits)
	h.Total = epochs.Ticks(total)
	return err
}

func (h *Header) readTotalPs(v json.RawMessage) error {
	ps, err := scaled(v, 0)
	if err == nil && h.TimeUnit == epochs.Picosecond {
		h.Total = epochs.Ticks(ps)
	}
	return err
}

// MarshalJSON writes the object of a table's first line, always with the same bytes for the same
// header.
func (h Header) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	var failed error
	add := func(key string, v any) {
		text, err := json.Marshal(v)
		if raw, ok := v.(json.RawMessage); ok {
			text, err = raw, nil
		}
		name, _ := json.Marshal(key) // a string always can
		if b.Len() == 0 {
			b.WriteByte('{')
		} else {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		if err == nil {
			err = json.Compact(&b, text)
		}
		if err != nil && failed == nil {
			failed = fmt.Errorf("%q: %w", key, err)
		}
	}
	add(keyWorkload, h.Workload)
	add(keyFrequency, unscaled(int64(h.Frequency), 6))
	add(keyThreads, h.Threads)
	if h.TimeUnit == epochs.Picosecond {
		add(keyTotalNs, unscaled(int64(h.Total), 3))
		add(keyTotalPs, h.Total)
	} else {
		add(keyTotalNs, h.Total)
	}
	add(keyEpochs, h.Epochs)
	add(keyTimeUnit, h.TimeUnit)
	for _, key := range slices.Sorted(maps.Keys(h.Extra)) {
		add(key, h.Extra[key])
	}
	b.WriteByte('}')
	return b.Bytes(), failed
}
