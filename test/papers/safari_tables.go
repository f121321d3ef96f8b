package main

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/instrumented"
)

// always has every call profiled: the first of a period, and as many after it as there are.
var always = instrumented.Settings{Pick: instrumented.FirstCall, Records: 1 << 31}

// calls is table IV: the cost of a call, over that without hooks.
func (b *bench) calls() error {
	settings := []setting{
		{name: "no hooks", way: "plain"},
		{name: "hooks that do nothing", way: "hooks"},
		{name: "skipped by ebb's library", way: "hooks",
			follow: &instrumented.Settings{Records: 1}},
		{name: "profiled by ebb's library", way: "hooks", follow: &always},
		{name: "gprof", way: "gprof"},
	}
	values := make([][]float64, len(settings))
	for range b.rounds {
		for i := range settings {
			argument := "1000000"
			if settings[i].follow == &always {
				argument = "5000"
			}
			each, err := b.run(&settings[i], b.program("hooks", false, settings[i].way), argument)
			if err != nil {
				return err
			}
			values[i] = append(values[i], each)
		}
	}
	base := summary(values[0]).middle
	fmt.Printf("Table IV: cost of a call (enter and exit) in ns of CPU time, without the call's "+
		"own %.2f ns;\nSAFARI on a Core 2: skipped 200 ns, profiled 400,000 ns\n", base)
	for i := 1; i < len(settings); i++ {
		r := summary(values[i])
		fmt.Printf("  %-28s %8.2f  (quartiles %.2f to %.2f)\n", settings[i].name, r.middle-base,
			r.low-base, r.high-base)
	}
	return b.longer()
}

// longer is the line of table IV for profiled calls that take some microseconds: the library reads
// the thread's CPU time at their end as well, by a system call.
func (b *bench) longer() error {
	const calls, steps = 50_000, 3000
	settings := []setting{{way: "plain"}, {way: "hooks", follow: &always}}
	values := make([][]float64, len(settings))
	for range b.rounds {
		for i := range settings {
			took, err := b.run(&settings[i], b.program("rate", false, settings[i].way),
				fmt.Sprint(calls, " ", steps))
			if err != nil {
				return err
			}
			values[i] = append(values[i], took/calls*1e9)
		}
	}
	base, r := summary(values[0]), summary(values[1])
	fmt.Printf("  %-28s %8.2f  (quartiles %.2f to %.2f)\n\n",
		fmt.Sprintf("profiled, of %.1f us", base.middle/1e3), r.middle-base.middle,
		r.low-base.middle, r.high-base.middle)
	return nil
}

// rates are overheads at the call rates of SAFARI's two worst programs. The function's steps are
// chosen here, so that it is called about as often as theirs.
func (b *bench) rates() error {
	fmt.Println("CPU time over that without hooks at two rates of calls, median (and quartiles); " +
		"SAFARI: 286 % and 912 %")
	fmt.Printf("  %11s %9s %9s %22s\n", "calls/s", "empty", "gprof", "ebb, 100 ms")
	const calls, probe = 4_000_000, 100
	step, err := b.run(&setting{}, b.program("rate", false, "plain"),
		fmt.Sprint(calls, " ", probe))
	if err != nil {
		return err
	}
	step /= calls * probe
	for _, rate := range []float64{3.7e6, 11.2e6} {
		steps := int(1/rate/step + 0.5)
		settings := []setting{{way: "plain"}, {way: "hooks"}, {way: "gprof"},
			{way: "hooks", follow: &instrumented.Settings{Records: 1},
				period: 100 * time.Millisecond}}
		base, r, err := b.overheads("rate", false, fmt.Sprint(calls, " ", steps), settings)
		if err != nil {
			return err
		}
		fmt.Printf("  %11.0f %8.1f%% %8.1f%% %7.1f%% (%.1f to %.1f)\n", calls/base.middle,
			r[1].middle*100, r[2].middle*100, r[3].middle*100, r[3].low*100, r[3].high*100)
	}
	fmt.Println()
	return nil
}

// kernels are the programs with an argument that has them run for about a third of a second, and
// the calls that they make then, by their own loops.
var kernels = []struct {
	name, argument string
	calls          func(rounds float64) float64
}{
	{"is", "20", func(r float64) float64 { return r * (4*(1<<20) + 12) }},
	{"bt", "100", func(r float64) float64 { return r * 256 * (1 + 1 + 64 + 63 + 126) }},
	{"cg", "60", func(r float64) float64 { return r * (1 + 25*6 + 2) }},
}

// periods is table II: overhead by the number of periods, beside gprof.
func (b *bench) periods() error {
	fmt.Println("Table II: CPU time over that without hooks, median (and quartiles), by the " +
		"number of periods in a run;\nthe first call in each is profiled, as SAFARI does; " +
		"the last column has ebb's own choice of calls, 100 ms")
	fmt.Printf("  %-8s %11s %9s %9s %9s %9s %9s %9s %22s\n", "kernel", "calls/s", "empty", "gprof",
		"1", "2", "4", "8", "100 ms")
	for _, parallel := range []bool{false, true} {
		for _, k := range kernels {
			var rounds float64
			if _, err := fmt.Sscan(k.argument, &rounds); err != nil {
				return err
			}
			if err := b.period(k.name, k.argument, parallel, k.calls(rounds)); err != nil {
				return err
			}
		}
	}
	list, missing := b.there()
	for _, s := range list {
		calls, err := b.called(s.name, s.argument)
		if err != nil {
			return err
		}
		if err := b.period(s.name, s.argument, false, calls); err != nil {
			return err
		}
	}
	for _, why := range missing {
		fmt.Println("  " + why)
	}
	fmt.Println("  SAFARI: bt 286 to 289 %, gprof 5.4 % (3.7 million calls/s); " +
		"is 905 to 912 %, gprof 15 % (11.2 million)")
	fmt.Println()
	return nil
}

// period is a line of table II.
func (b *bench) period(name, argument string, parallel bool, calls float64) error {
	first := instrumented.Settings{Pick: instrumented.FirstCall, Records: 1}
	settings := []setting{{way: "plain"}, {way: "hooks"}, {way: "gprof"}}
	for _, n := range []time.Duration{1, 2, 4, 8} {
		settings = append(settings,
			setting{way: "hooks", follow: &first, period: time.Second / 3 / n})
	}
	settings = append(settings, setting{way: "hooks", follow: &instrumented.Settings{Records: 1},
		period: 100 * time.Millisecond})
	base, r, err := b.overheads(name, parallel, argument, settings)
	if err != nil {
		return err
	}
	if parallel {
		name += " omp"
	}
	fmt.Printf("  %-8s %11.0f %8.1f%% %8.1f%%", name, calls/base.middle, r[1].middle*100,
		r[2].middle*100)
	for _, x := range r[3:7] {
		fmt.Printf(" %8.1f%%", x.middle*100)
	}
	fmt.Printf(" %7.1f%% (%.1f to %.1f)\n", r[7].middle*100, r[7].low*100, r[7].high*100)
	return nil
}

// groups is table III: overhead by periods (n) and groups (m).
func (b *bench) groups() error {
	fmt.Println("Table III: CPU time over that without hooks, by the number of periods n and of " +
		"groups m (by address)")
	fmt.Printf("  %-8s %4s %9s %9s\n", "kernel", "n", "m = 2", "m = 4")
	for _, parallel := range []bool{false, true} {
		for _, name := range []string{"bt", "is"} {
			argument := "100"
			if name == "is" {
				argument = "20"
			}
			for _, n := range []time.Duration{4, 8} {
				settings := []setting{{way: "plain"}}
				for _, m := range []uint32{2, 4} {
					settings = append(settings, setting{way: "hooks", period: time.Second / 3 / n,
						follow: &instrumented.Settings{Pick: instrumented.FirstCall, Records: 1,
							Groups: m}})
				}
				_, r, err := b.overheads(name, parallel, argument, settings)
				if err != nil {
					return err
				}
				shown := name
				if parallel {
					shown += " omp"
				}
				fmt.Printf("  %-8s %4d %8.1f%% %8.1f%%\n", shown, n, r[1].middle*100,
					r[2].middle*100)
			}
		}
	}
	fmt.Println()
	return nil
}
