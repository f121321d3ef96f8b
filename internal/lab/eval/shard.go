package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Shard is one of several parts of an evaluation's runs. Other processes, on other machines, make
// the others.
type Shard struct{ Number, Of int }

// mostShards bounds what somebody can ask for by mistake: there are fewer programs than that.
const mostShards = 1000

// String returns what Set reads.
func (s *Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Number, s.Of)
}

// Set reads "2/8", the second of eight.
func (s *Shard) Set(text string) error {
	number, of, _ := strings.Cut(text, "/")
	i, err := strconv.Atoi(number)
	n, err2 := strconv.Atoi(of)
	if err != nil || err2 != nil || i < 1 || i > n || n > mostShards {
		return fmt.Errorf("it is which of how many, from 1/1 to %d/%[1]d, such as 2/8 for the "+
			"second of eight", mostShards)
	}
	*s = Shard{i, n}
	return nil
}

// Type returns the type's name in a flag's help.
func (s *Shard) Type() string { return "shard" }

// of returns the shard's runs. Runs of one program on one machine are in one shard, because some
// need others.
func (s *Shard) of(specs []spec) (mine []spec) {
	owners := map[spec]int{}
	for _, x := range specs {
		program := spec{Profile: x.Profile, Cores: x.Cores, Workload: x.Workload,
			Threads: x.Threads, Seed: x.Seed, Several: x.Several}
		owner, known := owners[program]
		if !known {
			owner = len(owners)%s.Of + 1
			owners[program] = owner
		}
		if owner == s.Number {
			mine = append(mine, x)
		}
	}
	return mine
}

// Part is the runs of a shard. Version is the program's, as another one may compute otherwise; on
// another architecture floating point rounds differently.
type Part struct {
	Version, Architecture string
	Settings              Settings
	Shard                 Shard
	Runs                  map[string]*Run // by key
}

// key returns all that determines a run, as text.
func (s *spec) key() string { return fmt.Sprintf("%#v", *s) }

// EvaluateShard makes a shard's runs, several at a time.
func EvaluateShard(
	ctx context.Context, set Settings, shard Shard, version string, progress Progress,
) (*Part, error) {
	return evaluateShard(ctx, set, shard, version, progress, nil)
}

// evaluateShard is EvaluateShard where another function may make the runs.
func evaluateShard(
	ctx context.Context, set Settings, shard Shard, version string, progress Progress,
	run func(context.Context, spec) (*Run, error),
) (*Part, error) {
	chosen, err := set.chosen()
	if err != nil {
		return nil, err
	}
	s := newStudy(set, run)
	mine := shard.of(s.needs(chosen))
	steps := newSteps(len(mine), progress)
	if err := s.cache.prepare(ctx, mine, steps.one); err != nil {
		return nil, err
	}
	p := &Part{Version: version, Architecture: runtime.GOARCH, Settings: set, Shard: shard,
		Runs: map[string]*Run{}}
	for x, cell := range s.cache.runs {
		p.Runs[x.key()] = cell.run
	}
	return p, nil
}

// Write writes a part for ReadPart. The same part has the same bytes.
func (p *Part) Write(w io.Writer) error {
	if err := json.NewEncoder(w).Encode(p); err != nil {
		return fmt.Errorf("write a shard's runs: %w", err)
	}
	return nil
}

// ReadPart reads what Write wrote.
func ReadPart(r io.Reader) (*Part, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	var p Part
	if err := d.Decode(&p); err != nil {
		return nil, fmt.Errorf("read a shard's runs: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read a shard's runs: there is more behind them")
	}
	if err := p.Shard.Set(p.Shard.String()); err != nil {
		return nil, fmt.Errorf("read a shard's runs: shard %d/%d: %w", p.Shard.Number, p.Shard.Of,
			err)
	}
	if err := p.Settings.Check(); err != nil {
		return nil, fmt.Errorf("read a shard's runs: %w", err)
	}
	return &p, nil
}

// Merge draws the figures from the parts of all shards. The result is that of Evaluate.
func Merge(parts []*Part, version string) (*Result, error) {
	runs, err := together(parts, version)
	if err != nil {
		return nil, err
	}
	set := parts[0].Settings
	chosen, err := set.chosen()
	if err != nil {
		return nil, err
	}
	s := newStudy(set, nil)
	for _, x := range s.needs(chosen) {
		r := runs[x.key()]
		if r == nil {
			return nil, fmt.Errorf("no shard has the run %v", x)
		}
		s.cache.put(x, r)
	}
	return s.result(chosen, len(runs))
}

// together returns the runs of all shards, if they are parts of one evaluation.
func together(parts []*Part, version string) (map[string]*Run, error) {
	if len(parts) == 0 {
		return nil, errors.New("there are no shards")
	}
	first := parts[0]
	runs, seen := map[string]*Run{}, make([]bool, first.Shard.Of)
	for _, p := range parts {
		switch {
		case p.Version != version:
			return nil, fmt.Errorf("shard %v is of version %q, this is %q", &p.Shard, p.Version,
				version)
		case p.Architecture != first.Architecture:
			return nil, fmt.Errorf("shard %v was made on %q, %v on %q: they round differently",
				&p.Shard, p.Architecture, &first.Shard, first.Architecture)
		case p.Shard.Of != first.Shard.Of || !reflect.DeepEqual(p.Settings, first.Settings):
			return nil, fmt.Errorf("shards %v and %v are of different evaluations", &first.Shard,
				&p.Shard)
		}
		seen[p.Shard.Number-1] = true
		for key, r := range p.Runs {
			if r == nil || (runs[key] != nil && !reflect.DeepEqual(r, runs[key])) {
				return nil, fmt.Errorf("shard %v has another result of a run: %.200s", &p.Shard,
					key)
			}
			runs[key] = r
		}
	}
	if missing := slices.Index(seen, false); missing >= 0 {
		return nil, fmt.Errorf("shard %d/%d is missing", missing+1, first.Shard.Of)
	}
	return runs, nil
}
