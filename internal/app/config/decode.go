package config

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/predictor/power"
)

// Bounds of a file, several times what all keys with all their comments need. The TOML library's
// work grows with the square of how deep dotted keys and inline tables go, and faster; within these
// bounds it stays below seconds.
const (
	maxBytes = 16 << 10
	maxLine  = 2048
)

// Load reads a file. An error names the file, the line and the key, and says what was wanted.
func Load(path string) (Config, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return Config{}, fmt.Errorf("configuration: %w", err)
	}
	defer f.Close() // opened for reading: nothing can be lost
	return Decode(f, path)
}

// Decode reads a file's text; name stands for the file in errors.
func Decode(r io.Reader, name string) (Config, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return Config{}, fmt.Errorf("configuration: %w", err)
	}
	if len(text) > maxBytes {
		return Config{}, fmt.Errorf(
			"configuration %s: longer than %d bytes, so this is no configuration", name, maxBytes,
		)
	}
	line := 1
	for l := range strings.Lines(string(text)) {
		if len(l) > maxLine {
			return Config{}, fmt.Errorf("configuration %s: line %d: longer than %d bytes", name,
				line, maxLine)
		}
		line++
	}
	c := Default()
	if err := c.decode(string(text)); err != nil {
		return Config{}, fmt.Errorf("configuration %s: %w", name, err)
	}
	if err := c.Validate(); err != nil {
		return Config{}, fmt.Errorf("configuration %s: %w", name, err)
	}
	return c, nil
}

// table is a TOML table whose values are not decoded yet. Decoding one later reports its line.
type table map[string]toml.Primitive

func (c *Config) decode(text string) error {
	var top table
	meta, err := toml.Decode(text, &top)
	if err != nil {
		return plain(err)
	}
	d := decoder{meta: &meta, keys: c.keys()}
	for _, k := range meta.Keys() { // keys in the order of the file, to report the first mistake
		if err := d.key(top, k); err != nil {
			return plain(err)
		}
	}
	c.namePower()
	return nil
}

type decoder struct {
	meta *toml.MetaData
	keys []key
}

// key stores the value of k, a path from the table at.
func (d *decoder) key(at table, k toml.Key) error {
	name := k.String()
	for len(k) > 1 {
		var sub table
		if err := d.meta.PrimitiveDecode(at[k[0]], &sub); err != nil {
			return err
		}
		at, k = sub, k[1:]
	}
	return d.meta.PrimitiveDecode(at[k[0]], &value{d, name})
}

// value receives a key's value from the TOML library, which adds key and line to its error.
type value struct {
	d    *decoder
	name string
}

// UnmarshalTOML implements toml.Unmarshaler.
func (v *value) UnmarshalTOML(data any) error {
	if i := slices.IndexFunc(v.d.keys, func(k key) bool { return k.name == v.name }); i >= 0 {
		return assign(v.d.keys[i].dst, data)
	}
	inTable := slices.ContainsFunc(v.d.keys,
		func(k key) bool { return strings.HasPrefix(k.name, v.name+".") })
	if _, isTable := data.(map[string]any); inTable && isTable {
		return nil // the keys of the table follow
	}
	if inTable {
		return errors.New("is a table: write it as [" + v.name + "]")
	}
	names := make([]string, len(v.d.keys))
	for i, k := range v.d.keys {
		names[i] = k.name
	}
	if near := Nearest(v.name, names); near != "" {
		return fmt.Errorf("no such key; did you mean %s?", near)
	}
	return errors.New("no such key")
}

// plain returns an error of the TOML library as a sentence: line, key, what is wrong.
func plain(err error) error {
	var p toml.ParseError
	if !errors.As(err, &p) {
		return err
	}
	what := strings.Join(strings.Fields(p.Message), " ")
	if p.LastKey != "" {
		what = fmt.Sprintf("%.60s: %s", p.LastKey, what)
	}
	if p.Position.Line > 0 {
		what = fmt.Sprintf("line %d: %s", p.Position.Line, what)
	}
	return errors.New(what)
}

// namePower renames a power model whose parameters are not the default's any more: a report must
// not call it that. Platform is not counted, it describes what the model leaves out.
func (c *Config) namePower() {
	m := power.Table2()
	m.Platform = c.Power.Platform
	if c.Power != m {
		c.Power.Name += ", changed"
	}
}
