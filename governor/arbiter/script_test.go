package arbiter

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

// TestScripts runs the scripts in testdata: wishes, each with the requests that follow. README.md
// there has the commands.
func TestScripts(t *testing.T) {
	devtest.RunScripts(t, func() devtest.ScriptCommand { return (&scripted{domains: 1}).command })
}

const quantum = 5 * time.Millisecond

type scripted struct {
	domains int
	a       *Arbiter
}

func (s *scripted) command(word string, args map[string]string) (string, error) {
	number := func(key string) int {
		n, _ := strconv.Atoi(args[key]) // 0 where the script has none
		return n
	}
	if word == "config" {
		s.domains = number("domains")
		return "", nil
	}
	if s.a == nil {
		s.a = New(s.domains, quantum)
	}
	t, d := Tenant(number("t")), Domain(number("d"))
	var at time.Duration
	if text := args["at"]; text != "" {
		var err error
		if at, err = time.ParseDuration(text); err != nil {
			return "", err
		}
	}
	switch word {
	case "join":
		s.a.Join(t, units.Instant(at))
	case "leave":
		s.a.Leave(t)
	case "ran":
		s.a.Ran(t, d, units.Instant(at))
	case "pass":
		s.a.Pass()
	case "wish":
		w := Wish{Tenant: t, Domain: d}
		if err := w.Frequency.UnmarshalText([]byte(args["f"])); err != nil {
			return "", err
		}
		s.a.Wish(w)
	default:
		return "", fmt.Errorf("unknown command %q", word)
	}
	var b strings.Builder
	for _, r := range s.a.Step(nil) {
		fmt.Fprintf(&b, "domain %d at %v, by tenant %d\n", r.Domain, r.Frequency, r.By)
	}
	return b.String(), nil
}
