package usdt

import (
	"fmt"
	"io"
)

const (
	notesName = ".note.stapsdt"
	baseName  = ".stapsdt.base"
)

// find returns the places of a provider's probes, for each of the names. A file without notes, or
// of another kind than 64-bit little-endian, has none.
func find(file io.ReaderAt, size int64, provider string, names []string) ([][]uint64, error) {
	places := make([][]uint64, len(names))
	im, err := readImage(file, size)
	if err != nil || im == nil {
		return places, err
	}
	notes := im.section(notesName)
	if notes == nil {
		return places, nil
	}
	data, err := im.contents(notes, maxNotes)
	if err != nil {
		return nil, fmt.Errorf("section %s: %w", notesName, err)
	}
	base := im.section(baseName)
	err = eachProbe(data, func(p probe) error {
		for i, name := range names {
			if string(p.provider) != provider || string(p.name) != name {
				continue
			}
			at := p.location
			if base != nil {
				at += base.address - p.base // the file was moved after linking (prelink)
			}
			offset, ok := im.offset(at)
			if !ok {
				return fmt.Errorf("%w: probe %s is not in the code", ErrMalformed, name)
			}
			if len(places[i]) == MaxPlaces {
				return fmt.Errorf("%w: more than %d probes %s", ErrMalformed, MaxPlaces, name)
			}
			places[i] = append(places[i], offset)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return places, nil
}
