package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// read decodes the journal's whole lines.
func (j *journal) read(path string, data []byte) (done []Sample, err error) {
	bad := func(line int, why any) error {
		return fmt.Errorf("%s:%d: %w: %v", path, line,
			errJournal, why)
	}
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	var head journalHead
	if err := strict(first, &head); err != nil {
		return nil, bad(1, err)
	}
	if head.Version != journalVersion || head.Plan == nil {
		return nil, bad(1, fmt.Sprintf("version %d, not %d", head.Version, journalVersion))
	}
	if why := j.plan.differs(head.Plan); why != "" {
		return nil, fmt.Errorf("%s: %w: %s", path, errOtherPlan, why)
	}
	seen := map[[2]int]bool{}
	for n := 2; len(rest) > 0; n++ {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		var l journalLine
		if err := strict(line, &l); err != nil {
			return nil, bad(n, err)
		}
		s, err := j.sample(&l)
		if err != nil {
			return nil, bad(n, err)
		}
		if seen[[2]int{s.Round, s.Setting}] {
			return nil, bad(n, fmt.Sprintf("%s of round %d is there twice", l.Setting, l.Round))
		}
		seen[[2]int{s.Round, s.Setting}] = true
		done = append(done, s)
	}
	return done, nil
}

func strict(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.More() {
		return errors.New("something follows the line's end")
	}
	return nil
}

func (j *journal) sample(l *journalLine) (Sample, error) {
	setting, ok := j.byID[l.Setting]
	switch {
	case !ok:
		return Sample{}, fmt.Errorf("no setting %q in the plan", l.Setting)
	case l.Round < 1 || l.Round > maxRuns:
		return Sample{}, fmt.Errorf("round %d", l.Round)
	case l.WallNS <= 0:
		return Sample{}, fmt.Errorf("a run of %d ns", l.WallNS)
	case !slices.Contains([]Source{Measured, Modelled, Reference, Simulated, Unknown}, l.Source):
		return Sample{}, fmt.Errorf("energy source %q", l.Source)
	}
	s := Sample{Round: l.Round, Setting: setting}
	s.Wall, s.CPU = time.Duration(l.WallNS), time.Duration(l.CPUNS)
	s.Source, s.Trouble = l.Source, l.Trouble
	for _, name := range sortedKeys(l.Energy) {
		if l.Energy[name] < 0 {
			return Sample{}, fmt.Errorf("%d nJ in zone %q", l.Energy[name], name)
		}
		s.Zones = append(s.Zones, Zone{name, units.Energy(l.Energy[name])})
	}
	return s, nil
}
