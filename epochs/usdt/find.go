package usdt

import (
	"fmt"
	"io"
	"slices"
)

const (
	notesName = ".note.stapsdt"
	baseName  = ".stapsdt.base"
)

// find returns the places of a provider's probes, for each of the names. A file without notes, or
// of another kind than 64-bit little-endian, has none.
func find(file io.ReaderAt, size int64, provider string, names []string) ([][]uint64, error) {
	places := make([][]uint64, len(names))
	wanted := func(p *probe) bool {
		return string(p.provider) == provider && slices.Contains(names, string(p.name))
	}
	err := eachPlace(file, size, wanted, func(name string, place uint64) error {
		i := slices.Index(names, name)
		if len(places[i]) == MaxPlaces {
			return fmt.Errorf("%w: more than %d probes %s", ErrMalformed, MaxPlaces, name)
		}
		places[i] = append(places[i], place)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return places, nil
}

// eachPlace calls take for each probe of a file that is wanted, until that fails.
func eachPlace(file io.ReaderAt, size int64, wanted func(*probe) bool,
	take func(name string, place uint64) error,
) error {
	im, err := readImage(file, size)
	if err != nil || im == nil {
		return err
	}
	notes := im.section(notesName)
	if notes == nil {
		return nil
	}
	data, err := im.contents(notes, maxNotes)
	if err != nil {
		return fmt.Errorf("section %s: %w", notesName, err)
	}
	base := im.section(baseName)
	return eachProbe(data, func(p probe) error {
		if !wanted(&p) {
			return nil
		}
		at := p.location
		if base != nil {
			at += base.address - p.base // the file was moved after linking (prelink)
		}
		offset, ok := im.offset(at)
		if !ok {
			return fmt.Errorf("%w: probe %s is not in the code", ErrMalformed, p.name)
		}
		return take(string(p.name), offset)
	})
}
