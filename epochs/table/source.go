package table

import "encoding/json"

// FrequencySource is the source of a table's frequency.
type FrequencySource string

// Assumed is the source of a table that was recorded in shadow mode: nothing was set, the actual
// clock is unknown, and the virtual processor's highest frequency stands for it. A table without a
// source has a frequency that was set or measured.
const Assumed FrequencySource = "assumed"

const keyFrequencySource = "freq_source"

// FrequencySource returns the source of the header's frequency; "" if the header does not say.
func (h *Header) FrequencySource() FrequencySource {
	var s string
	if json.Unmarshal(h.Extra[keyFrequencySource], &s) != nil {
		return ""
	}
	return FrequencySource(s)
}

// SetFrequencySource sets the source of the header's frequency.
func (h *Header) SetFrequencySource(s FrequencySource) {
	text, _ := json.Marshal(string(s)) // a string always can
	if h.Extra == nil {
		h.Extra = map[string]json.RawMessage{}
	}
	h.Extra[keyFrequencySource] = text
}
