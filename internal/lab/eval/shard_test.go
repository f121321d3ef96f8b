package eval

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

// partsOf makes the shards of an evaluation on made-up runs, and has each written and read.
func partsOf(t *testing.T, set Settings, of int, run func(context.Context, spec) (*Run, error),
) (parts []*Part) {
	t.Helper()
	for i := range of {
		p, err := evaluateShard(t.Context(), set, Shard{i + 1, of}, "v1", nil, run)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := p.Write(&text); err != nil {
			t.Fatal(err)
		}
		if p, err = ReadPart(&text); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	return parts
}

// output is all that an evaluation writes.
func output(t *testing.T, r *Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := errors.Join(WriteJSON(&b, r.Rows), r.WriteHTML(&b, "v1")); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestShards: the shards of an evaluation together give the bytes of the whole one, however many
// there are and in whatever order they are read, and no shard's run is another's.
func TestShards(t *testing.T) {
	set := Settings{Quick: true, Seed: 7}
	whole, err := evaluate(t.Context(), set, nil, fake)
	if err != nil {
		t.Fatal(err)
	}
	want := output(t, whole)
	for _, of := range []int{1, 2, 7} {
		parts, made := partsOf(t, set, of, fake), 0
		for _, p := range parts {
			made += len(p.Runs)
		}
		slices.Reverse(parts)
		r, err := Merge(parts, "v1")
		if err != nil {
			t.Fatal(err)
		}
		if made != whole.runs || output(t, r) != want {
			t.Errorf("%d shards of %d runs give other bytes than %d runs", of, made, whole.runs)
		}
	}
}

// TestMergeRefused: what is not the shards of one evaluation is refused with a reason.
func TestMergeRefused(t *testing.T) {
	set := Settings{Quick: true, Figures: []string{"7"}}
	other := func(change func(p *Part)) func([]*Part) []*Part {
		return func(all []*Part) []*Part {
			change(all[1])
			return all
		}
	}
	without := func(all []*Part) []*Part { return slices.Delete(all, 1, 2) }
	for want, change := range map[string]func([]*Part) []*Part{
		"there are no shards":                 func([]*Part) []*Part { return nil },
		"shard 2/3 is missing":                without,
		`2/3 is of version "v0"`:              other(func(p *Part) { p.Version = "v0" }),
		`2/3 was made on "mips"`:              other(func(p *Part) { p.Architecture = "mips" }),
		"shards 1/3 and 2/3 are of different": other(func(p *Part) { p.Settings.Seed++ }),
		"shards 1/3 and 2/4 are of different": other(func(p *Part) { p.Shard.Of++ }),
		"no shard has the run":                other(func(p *Part) { clear(p.Runs) }),
		"3/3 has another result": func(all []*Part) []*Part {
			for key := range all[0].Runs {
				all[2].Runs[key] = &Run{Work: 1}
			}
			return all
		},
		"2/3 has another result": other(func(p *Part) {
			for key := range maps.Clone(p.Runs) {
				p.Runs[key] = nil
			}
		}),
	} {
		_, err := Merge(change(partsOf(t, set, 3, fake)), "v1")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestReadPart: what Write did not write is refused.
func TestReadPart(t *testing.T) {
	p, err := evaluateShard(t.Context(), Settings{Quick: true, Figures: []string{"7"}},
		Shard{1, 2}, "v1", nil, fake)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := p.Write(&text); err != nil {
		t.Fatal(err)
	}
	whole := text.String()
	for what, text := range map[string]string{
		"nothing":           "",
		"a half":            whole[:len(whole)/2],
		"two":               whole + whole,
		"another number":    strings.Replace(whole, `"Number":1`, `"Number":3`, 1),
		"too many":          strings.Replace(whole, `"Of":2`, `"Of":1000000000`, 1),
		"an unknown figure": strings.Replace(whole, `["7"]`, `["70"]`, 1),
		"an unknown member": strings.Replace(whole, `"Version"`, `"Versoin"`, 1),
		"a wrong clock":     strings.ReplaceAll(whole, `"4GHz"`, `"4 apples"`),
	} {
		if _, err := ReadPart(strings.NewReader(text)); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}
