package vesta

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// Configuration is a setting of the runtime or of the machine in which the same programs were
// metered (section 5.8).
type Configuration struct {
	Name string
	// Own has all inputs that change here; Alike those of the first configuration that all have.
	Own, Alike *powermodel.Table
}

// Source is the text of a metered table, with the name of its configuration.
type Source struct {
	Name string
	Text []byte
}

// ReadAlike reads tables of the same programs in several configurations. LeftOut are the inputs of
// the first that some other one lacks, as on a machine with other counters.
func ReadAlike(from []Source, power, program, inputs string) (out []Configuration,
	leftOut []string, err error,
) {
	for _, s := range from {
		own, err := Read(bytes.NewReader(s.Text), power, program, inputs)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		out = append(out, Configuration{Name: s.Name, Own: own})
	}
	common := slices.Clone(out[0].Own.Inputs)
	for _, s := range from[1:] {
		names, err := header(s.Text)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		common = slices.DeleteFunc(common, func(name string) bool {
			if slices.Contains(names, name) {
				return false
			}
			leftOut = append(leftOut, name)
			return true
		})
	}
	if len(common) == 0 {
		return nil, nil, errors.New("the tables have no input in common")
	}
	for i := range out {
		if out[i].Alike, err = readInputs(from[i].Text, power, program, common); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", out[i].Name, err)
		}
	}
	return out, leftOut, nil
}

// header returns the names of a table's columns.
func header(text []byte) ([]string, error) {
	in := csv.NewReader(bytes.NewReader(text))
	in.Comment = '#'
	return in.Read()
}

// readInputs reads a table with these inputs, those that never change included: a model of another
// table may need them.
func readInputs(text []byte, power, program string, inputs []string) (*powermodel.Table, error) {
	m := &powermodel.Model{}
	for _, name := range inputs {
		m.Inputs = append(m.Inputs, powermodel.Input{Name: name})
	}
	return m.ReadFor(bytes.NewReader(text), power, program)
}

// Events is the kind of inputs that are events of Java machines alone, as in the paper: what
// happens in the application, and nothing of the rest of the machine.
const Events = "events"

// eventPrefix begins the names of the inputs that are events.
const eventPrefix = "jvm_"

// Read reads a metered table with all of its inputs, or those of one kind.
func Read(r io.Reader, power, program, inputs string) (*powermodel.Table, error) {
	kind, only := powermodel.Tier(inputs), func(string) bool { return true }
	if inputs == Events {
		kind = powermodel.Runtime
		only = func(name string) bool { return strings.HasPrefix(name, eventPrefix) }
	}
	kind, err := powermodel.ParseTier(string(kind))
	if err != nil {
		return nil, err
	}
	t, err := powermodel.ReadCSV(r, power, program, kind)
	if err != nil {
		return nil, err
	}
	out := *t
	out.Inputs, out.Columns = nil, nil
	for k, name := range t.Inputs {
		if only(name) {
			out.Inputs, out.Columns = append(out.Inputs, name), append(out.Columns, t.Columns[k])
		}
	}
	if len(out.Inputs) == 0 {
		return nil, errors.New("no column is an event of a Java machine that occurs")
	}
	return &out, nil
}
