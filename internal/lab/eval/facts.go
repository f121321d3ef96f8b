package eval

import (
	"fmt"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/simtest/hardware"
)

// machineFacts are the page's facts about machines and programs.
type machineFacts struct {
	Notes    []string
	Profiles [][]string
	Programs [][]tableCell
}

// facts returns the facts for the figures' runs. It has a program if its runs at 1 and 4 GHz are
// among these runs.
func (s *study) facts(chosen []*figure) (m machineFacts, err error) {
	used := map[string]bool{}
	made := map[spec]bool{}
	for _, x := range s.needs(chosen) {
		used[x.Profile], made[x] = true, true
	}
	for _, p := range hardware.Profiles() {
		if used[p.Name] {
			m.Profiles = append(m.Profiles, profileRow(&p))
		}
	}
	m.Notes = notes
	for _, w := range paperWorkloads {
		slow, fast := on(w.name, control{By: Static, Frequency: 1 * ghz}), on(w.name,
			control{By: Static, Frequency: 4 * ghz})
		slow.Seed, fast.Seed = s.settings.Seed, s.settings.Seed
		if made[slow] && made[fast] {
			m.Programs = append(m.Programs, programRow(&w, s.of(slow), s.of(fast)))
		}
	}
	return m, nil
}

// notes describe the simulated machine.
var notes = []string{
	`The machine is simulated in virtual time by package simtest, which shares no formula with
predictor or policy. Cores run on past a miss until their reorder buffer is full, so the hidden
part of a miss depends on the clock. Misses overlap up to the number of fill buffers; the memory's
delay grows with the load of all cores; stores fill and drain a queue; threads take locks in the
order of their arrival, so the frequency changes which of them wait; a managed heap stops the
world to collect. The voltages are the paper's Table 2; leakage follows voltage and temperature.`,
}

func profileRow(p *hardware.Profile) []string {
	states := fmt.Sprintf("%d, %v to %v", len(p.States), p.Lowest(), p.Highest())
	return []string{
		p.Name, p.What, fmt.Sprint(p.Cores), states, transition(&p.Transition),
		fmt.Sprintf("%g, %g", float64(p.ROB), float64(p.StoreEntries)),
		fmt.Sprintf("%g ns, %g ns and %.1f GB/s", p.L3Ns, p.DRAMNs, 64/p.LineNs),
	}
}

func transition(t *hardware.Transition) string {
	var s []string
	for _, x := range []struct {
		d    time.Duration
		what string
	}{{t.Grid, "grid of %v"}, {t.Latency, "latency %v"}, {t.Jitter, "up to %v more"},
		{t.Stall, "%v at a stand"}, {t.Ramp, "ramp of %v"}} {
		if x.d > 0 {
			s = append(s, fmt.Sprintf(x.what, x.d))
		}
	}
	if len(s) == 0 {
		return "at once"
	}
	return strings.Join(s, ", ")
}

func programRow(w *paperWorkload, slow, fast *Run) []tableCell {
	class := "compute-intensive"
	if w.memory {
		class = "memory-intensive"
	}
	return []tableCell{
		{Text: w.name}, {Text: class},
		{Text: fmt.Sprintf("%.0f", slow.Wall.Seconds()*1e3), Paper: fmt.Sprint(w.total)},
		{Text: fmt.Sprintf("%.1f %%", float64(slow.GC)/float64(slow.Wall)*100),
			Paper: fmt.Sprintf("%.1f %%", 100*float64(w.inGC)/float64(w.total))},
		{Text: fmt.Sprintf("%.1f", float64(slow.Epochs)/(slow.Wall.Seconds()*1e3))},
		{Text: fmt.Sprintf("%.1f", float64(fast.Processor.Over(fast.Wall)))},
	}
}
