package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// journalVersion is the version of the journal's lines.
const journalVersion = 1

// maxJournal bounds what is read as a journal: room for 100,000 runs and more.
const maxJournal = 64 << 20

var (
	// errJournal: the file is no journal, or is damaged before its last line.
	errJournal = errors.New("unusable journal")
	// errOtherPlan: the journal was begun under another plan.
	errOtherPlan = errors.New("the journal is of another measurement")
	// errJournalInUse: another process adds to it.
	errJournalInUse = errors.New("another process is writing the journal")
)

// journal is the file of a measurement's finished runs: a line of JSON with the plan, then a line
// for each run, on disk before Add returns. The writer holds a lock on it.
type journal struct {
	file *os.File
	plan *Plan
	byID map[string]int
}

type journalHead struct {
	Version int   `json:"ebb_bench_journal"`
	Plan    *Plan `json:"plan"`
}

type journalLine struct {
	Round   int              `json:"round"`
	Setting string           `json:"setting"`
	WallNS  int64            `json:"wall_ns"`
	CPUNS   int64            `json:"cpu_ns"`
	Energy  map[string]int64 `json:"energy_nj,omitempty"` // energy by zone
	Source  Source           `json:"energy_source"`
	Trouble string           `json:"trouble,omitempty"`
}

// openJournal opens or creates the journal at path and returns the runs in it. The error is
// errOtherPlan when the journal began under a plan that differs from p, and errJournal when it
// cannot be read. A last line that is cut, as by a kill, is removed.
func openJournal(path string, p *Plan) (j *journal, done []Sample, err error) {
	f, err := safefile.Append(path)
	if err != nil {
		return nil, nil, fmt.Errorf("open the journal: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, errJournalInUse)
	}
	j = newJournal(f, p)
	data, err := io.ReadAll(io.LimitReader(f, maxJournal+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("read the journal: %w", err)
	case len(data) > maxJournal:
		return nil, nil, fmt.Errorf("%s: %w: longer than %d bytes", path, errJournal, maxJournal)
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if whole == 0 { // new, or cut within its first line
		if len(data) > 0 && data[0] != '{' {
			return nil, nil, fmt.Errorf("%s: %w: it does not begin with a plan", path, errJournal)
		}
		return j, nil, j.begin()
	}
	if done, err = j.read(path, data[:whole]); err != nil {
		return nil, nil, err
	}
	if err := f.Truncate(int64(whole)); err != nil {
		return nil, nil, fmt.Errorf("remove the journal's cut line: %w", err)
	}
	if _, err := f.Seek(int64(whole), io.SeekStart); err != nil {
		return nil, nil, fmt.Errorf("open the journal: %w", err)
	}
	return j, done, nil
}

func newJournal(f *os.File, p *Plan) *journal {
	j := &journal{file: f, plan: p, byID: map[string]int{}}
	for i, s := range p.Settings {
		j.byID[s.id()] = i
	}
	return j
}

// begin writes the first line into an empty file.
func (j *journal) begin() error {
	if err := j.file.Truncate(0); err != nil {
		return fmt.Errorf("begin the journal: %w", err)
	}
	if _, err := j.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("begin the journal: %w", err)
	}
	return j.line(journalHead{journalVersion, j.plan})
}

// line writes one line at once and waits until it is on disk.
func (j *journal) line(v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = j.file.Write(append(b, '\n'))
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return nil
}

// Add writes down a finished run.
func (j *journal) Add(s *Sample) error { return j.line(j.entry(s)) }

// entry returns a run's line.
func (j *journal) entry(s *Sample) journalLine {
	l := journalLine{
		Round: s.Round, Setting: j.plan.Settings[s.Setting].id(), WallNS: int64(s.Wall),
		CPUNS: int64(s.CPU), Source: s.Source, Trouble: s.Trouble,
	}
	for _, z := range s.Zones {
		if l.Energy == nil {
			l.Energy = map[string]int64{}
		}
		l.Energy[z.Name] += int64(z.Energy)
	}
	return l
}

// Close closes the file.
func (j *journal) Close() error { return j.file.Close() }
