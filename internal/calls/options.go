package calls

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/instrumented"
)

// LibraryOptions holds what a user can choose. It is written as one text, "period=100ms,groups=4".
type LibraryOptions struct {
	Wanted   bool
	Length   time.Duration // length of a period
	Settings instrumented.Settings
	Counters []string // names of Settings.Events
	// Automatic leaves the counters to Choose, and Divided the number of records to Shared.
	Automatic, Divided bool

	Library string   // path of the shared library; empty: the one that Library finds
	Java    []string // patterns of the Java methods that the agent instruments; empty: no agent
}

// defaultLength is the length of a period that is not given.
const defaultLength = 100 * time.Millisecond

// Bounds of the options' values.
const (
	minLength = time.Millisecond
	maxLength = time.Hour
	maxGroups = 1 << 16
)

// DefaultOptions returns the options of a run that asks for no others.
func DefaultOptions() LibraryOptions {
	return LibraryOptions{Length: defaultLength, Divided: true,
		Settings: instrumented.Settings{Records: 1}}
}

// divided is the number of records of a thread that its functions share in a period of
// defaultLength. They take 0.04 to 0.07 % of the thread's time.
const divided = 64

// Shared returns the settings for the library, with the records that functions share.
func (o *LibraryOptions) Shared() instrumented.Settings {
	s := o.Settings
	if o.Divided {
		s.Divided = uint32(min(divided*o.Length/defaultLength, divided))
	}
	return s
}

var (
	groupings = []string{"address", "name", "chance"} // in the order of instrumented.Grouping
	picks     = []string{"any", "first"}              // in the order of instrumented.Pick
)

// OptionsSyntax describes the text in a flag's help.
const OptionsSyntax = "period=100ms, groups=M (one of M has its turn in each period), " +
	"by=address|name|chance, pick=any|first, records=auto|N (of a function in a period), " +
	"counters=auto|A+B, library=FILE"

// Set reads options. "on" stands for the defaults, "off" for no options.
func (o *LibraryOptions) Set(text string) error {
	out := DefaultOptions()
	out.Wanted = text != "off"
	if text == "on" || text == "off" {
		*o = out
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(part, "=")
		if err := out.set(key, value); err != nil {
			return err
		}
	}
	*o = out
	return nil
}

func (o *LibraryOptions) set(key, value string) (err error) {
	s := &o.Settings
	switch key {
	case "period":
		o.Length, err = time.ParseDuration(value)
		if err == nil && (o.Length < minLength || o.Length > maxLength) {
			err = fmt.Errorf("it is not between %v and %v", minLength, maxLength)
		}
	case "groups":
		s.Groups, err = number(value, maxGroups)
	case "records":
		if s.Records, o.Divided = 1, value == automatic; !o.Divided {
			s.Records, err = number(value, 64)
		}
	case "by":
		var i int
		i, err = choice(value, groupings)
		s.Grouping = instrumented.Grouping(i)
	case "pick":
		var i int
		i, err = choice(value, picks)
		s.Pick = instrumented.Pick(i)
	case "counters":
		if o.Automatic = value == automatic; !o.Automatic {
			err = o.count(strings.Split(value, "+"))
		}
	case "library":
		if o.Library = value; value == "" {
			err = fmt.Errorf("it names no file")
		}
	default:
		return fmt.Errorf("there is no option %q; there are %s", key, OptionsSyntax)
	}
	if err != nil {
		return fmt.Errorf("%s=%s: %w", key, value, err)
	}
	return nil
}

func number(value string, most uint64) (uint32, error) {
	n, err := strconv.ParseUint(value, 10, 32)
	if err == nil && (n < 1 || n > most) {
		err = fmt.Errorf("it is not between 1 and %d", most)
	}
	return uint32(n), err
}

func choice(value string, of []string) (int, error) {
	i := slices.Index(of, value)
	if i < 0 {
		return 0, fmt.Errorf("there are %s", strings.Join(of, ", "))
	}
	return i, nil
}

// count adds counters to the options. More than two at a time cannot be read without error on
// processors with few of them (SAFARI, section III.B).
func (o *LibraryOptions) count(names []string) error {
	if len(names) > instrumented.Counters {
		return fmt.Errorf("at most %d can be read at a time", instrumented.Counters)
	}
	for _, name := range names {
		e, ok := Event(name)
		if !ok {
			return fmt.Errorf("there are %s, and %s", strings.Join(eventNames(), ", "),
				automatic)
		}
		o.Counters = append(o.Counters, name)
		o.Settings.Events = append(o.Settings.Events, e)
	}
	return nil
}

// String returns the text that Set reads.
func (o *LibraryOptions) String() string {
	if !o.Wanted {
		return "off"
	}
	s := &o.Settings
	records := automatic
	if !o.Divided {
		records = fmt.Sprint(max(s.Records, 1))
	}
	text := fmt.Sprintf("period=%v,groups=%d,by=%s,pick=%s,records=%s", o.Length, max(s.Groups, 1),
		groupings[s.Grouping], picks[s.Pick], records)
	if o.Automatic {
		text += ",counters=" + automatic
	} else if len(o.Counters) > 0 {
		text += ",counters=" + strings.Join(o.Counters, "+")
	}
	if o.Library != "" {
		text += ",library=" + o.Library
	}
	return text
}

// Type names the type in a flag's help.
func (o *LibraryOptions) Type() string { return "options" }
