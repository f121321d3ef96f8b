package unwind

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	maxDescribed = 20000
	maxStride    = 256
	maxFlags     = 10000
)

// field holds where a structure has a field: an offset, or the address of a static field.
type field struct {
	offset uint64
	size   int // in bytes
	known  bool
}

// describer reads a machine's description of its structures.
type describer struct {
	memory
	symbol func(name string) (uint64, bool)
}

// variable returns the word that an exported variable holds.
func (d *describer) variable(name string) (uint64, error) {
	at, ok := d.symbol(name)
	if !ok {
		return 0, fmt.Errorf("it does not export %s", name)
	}
	v, ok := d.word(at)
	if !ok {
		return 0, fmt.Errorf("%s cannot be read", name)
	}
	return v, nil
}

// table calls each with every entry of an exported table, up to the one without a first text. The
// parts name the variables that describe the table's layout.
func (d *describer) table(
	table, prefix string, parts []string, each func(entry uint64, at []uint64),
) error {
	begin, err := d.variable(table)
	if err != nil {
		return err
	}
	stride, err := d.variable(prefix + "ArrayStride")
	if err != nil {
		return err
	}
	if begin == 0 || stride == 0 {
		return ErrNoCodeCache
	}
	if stride > maxStride {
		return fmt.Errorf("%sArrayStride is %d", prefix, stride)
	}
	at := make([]uint64, len(parts))
	for i, part := range parts {
		if at[i], err = d.variable(prefix + part + "Offset"); err != nil {
			return err
		}
		if at[i] >= stride {
			return fmt.Errorf("%s%sOffset is %d", prefix, part, at[i])
		}
	}
	for n := range uint64(maxDescribed) {
		entry := begin + n*stride
		if first, ok := d.word(entry + at[0]); !ok || first == 0 {
			return nil
		}
		each(entry, at)
	}
	return fmt.Errorf("%s does not end", table)
}

// textAt returns the text that a word points to. It is valid until the next call. Nearly all such
// texts lie in one page, and are compared there, since a machine has some thousands.
func (d *describer) textAt(addr uint64) []byte {
	p, _ := d.word(addr)
	if p == 0 || p > 1<<63-1 {
		return nil
	}
	page := d.page(p)
	if end := bytes.IndexByte(page[:min(len(page), maxText)], 0); end >= 0 {
		return page[:end]
	}
	return []byte(d.text(p))
}

// fields finds the wanted fields, by "Type::name".
func (d *describer) fields(wanted map[string]*field) error {
	parts := []string{"TypeName", "FieldName", "TypeString", "IsStatic", "Offset", "Address"}
	types := map[string]bool{}
	for name := range wanted {
		types[typeOf(name)] = true
	}
	var of uint64 // address of the name of a type that is not wanted: its fields follow each other
	var name []byte
	return d.table("gHotSpotVMStructs", "gHotSpotVMStructEntry", parts,
		func(entry uint64, at []uint64) {
			place, _ := d.word(entry + at[0])
			if place == of {
				return
			}
			name = append(name[:0], d.textAt(entry+at[0])...)
			if !types[string(name)] {
				of = place
				return
			}
			name = append(append(name, "::"...), d.textAt(entry+at[1])...)
			f := wanted[string(name)]
			if f == nil {
				return
			}
			f.size = 8
			switch string(d.textAt(entry + at[2])) {
			case "int", "uint", "uint32_t", "int32_t":
				f.size = 4
			case "short", "int16_t", "uint16_t", "u2":
				f.size = 2
			}
			from := at[4]
			if static, _ := d.integer(entry+at[3], 4); static != 0 {
				from = at[5]
			}
			f.offset, f.known = d.word(entry + from)
		})
}

// typeOf returns the type of "Type::name". Names begin with an underscore, apart from those of
// options.
func typeOf(field string) string {
	if of, _, ok := strings.Cut(field, "::_"); ok {
		return of
	}
	return field[:max(strings.LastIndex(field, "::"), 0)]
}

// sizes finds the sizes of the wanted types, in bytes.
func (d *describer) sizes(wanted map[string]*uint64) error {
	return d.table("gHotSpotVMTypes", "gHotSpotVMTypeEntry", []string{"TypeName", "Size"},
		func(entry uint64, at []uint64) {
			if size := wanted[string(d.textAt(entry+at[0]))]; size != nil {
				*size, _ = d.word(entry + at[1])
			}
		})
}

// options reads the wanted options of the machine that are on or off, by name.
func (d *describer) options(f *layout, wanted map[string]*bool) {
	flags, ok1 := d.word(f.flags.offset)
	count, ok2 := d.word(f.flagCount.offset)
	if !f.flags.known || !f.flagCount.known || !f.flagName.known || !f.flagAddress.known || !ok1 ||
		!ok2 || f.flagSize == 0 || f.flagSize > maxStride {
		return
	}
	for n := range min(count, maxFlags) {
		at := flags + n*f.flagSize
		if option := wanted[string(d.textAt(at+f.flagName.offset))]; option != nil {
			var value [1]byte
			place, ok := d.word(at + f.flagAddress.offset)
			*option = ok && d.read(value[:], place) && value[0] != 0
		}
	}
}
