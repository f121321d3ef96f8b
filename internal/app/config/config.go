// Package config reads ebb's configuration file, TOML with the keys of ebb.toml beside this source.
// A key that the file does not set has its default. The command lets flags override the file.
package config

import (
	"fmt"
	"math"
	"math/bits"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// MinimizeSystemEnergy is the one value of Config.Minimize besides none.
const MinimizeSystemEnergy = "system-energy"

// Bounds of a Config.
const (
	minQuantum = time.Millisecond // below, deciding costs more than it can save
	maxQuantum = time.Minute
	maxCarry   = time.Hour
	maxSettle  = time.Second
	maxMbps    = 10_000_000
	maxRing    = 1 << 30
	minRing    = 4096
)

// Config has the settings of a user. Default has the defaults, Validate the rules.
type Config struct {
	// Slowdown is the budget: the extra time that the program may take, as a share of its time at
	// the highest frequency.
	Slowdown units.Slowdown
	// Minimize is "" for the least processor energy within the budget, or MinimizeSystemEnergy for
	// the least energy of processor, memory and platform, without a budget.
	Minimize string
	// Frequency, when above zero, is kept all the time: nothing is decided.
	Frequency units.Frequency
	// States are the frequencies to choose among; the zero value is all that the machine has.
	States Steps
	// Quantum is the decision interval. A decision holds for HoldOff quanta, of which the first is
	// profiled. 0 means the value that governor.Calibrate derives from Settle.
	Quantum time.Duration
	HoldOff int
	// Rest is the most quanta that pass as one while the program does as forecast; with 1 none do.
	// It needs decisions that hold for one quantum, and the rule policy.Priced.
	Rest int
	// CarryMax bounds the excess time carried from one decision to the next; 0 is
	// policy.AllotmentConfig's default.
	CarryMax time.Duration
	// Settle is the time from a request for a frequency to its effect; 0 when unknown.
	Settle time.Duration
	// Rule is one of policy.Rules for the slowdown budget. With Minimize it is one of
	// policy.SystemRules, and any other leaves ebb's own. Margin is the part of the budget that
	// stays unspent.
	Rule   string
	Margin policy.Margin
	// Shadow decides and accounts, and writes nothing to the machine.
	Shadow bool

	// Model, Estimator and CTP choose the predictor (predictor.Config). Estimator "" is the best
	// there are columns for.
	Model, Estimator, CTP string

	// RingBytes is the size of the kernel's ring buffer: a power of two, or 0 for the tracer's own
	// default.
	RingBytes int

	// Report is the file that the report of each run goes to; "" for none.
	Report string

	// Power has the parameters of the modelled energy, power from elsewhere (Platform) among them.
	Power power.Model

	// CardPower is the network card's power while bytes are on its wire; 0 when unknown. LinkMbps
	// is its link's speed in 10^6 bit/s; 0 is the kernel's figure.
	CardPower units.Power
	LinkMbps  int

	// MetricsListen is the loopback address at which a service's metrics are for every local user;
	// "" for none.
	MetricsListen string

	// Allow says who may ask a service for leases.
	Allow Allow
}

// defaultRest is the most quanta that pass as one by default: with more, ebb costs hardly less.
const defaultRest = 8

// Default returns the default configuration. A governor's own settings have the values of
// governor.Default.
func Default() Config {
	g := governor.Default()
	return Config{
		Slowdown: g.Slowdown,
		Rule:     string(g.Rule),
		Margin:   g.Margin,
		Model:    predictor.DefaultModel,
		CTP:      predictor.Across,
		Rest:     defaultRest,
		Power:    g.Power,
	}
}

// Calibrate fills in quantum and hold-off where none were given.
func (c *Config) Calibrate() {
	quantum, holdOff := governor.Calibrate(c.Settle)
	if c.Quantum == 0 {
		c.Quantum = quantum
	} else {
		holdOff = 1 // a given quantum ends with a decision
	}
	if c.HoldOff == 0 {
		c.HoldOff = holdOff
	}
}

// Validate returns an error that names the key and says what is wrong with it.
func (c *Config) Validate() error {
	if err := c.Slowdown.Validate(); err != nil {
		return err
	}
	switch {
	case c.Minimize != "" && c.Minimize != MinimizeSystemEnergy:
		return fmt.Errorf(
			"minimize is %q: want %q, or nothing for least processor energy within the slowdown",
			c.Minimize, MinimizeSystemEnergy,
		)
	case c.Frequency < 0:
		return fmt.Errorf("frequency %v is negative", c.Frequency)
	case c.Frequency > 0 && c.Minimize != "":
		return fmt.Errorf(
			"both a fixed frequency of %v and minimize %q: one of them decides, not both",
			c.Frequency, c.Minimize,
		)
	case c.Quantum != 0 && c.Quantum < minQuantum || c.Quantum > maxQuantum:
		return fmt.Errorf("a quantum of %v is not between %v and %v", c.Quantum, minQuantum,
			maxQuantum)
	case c.HoldOff < 0 || c.HoldOff > governor.MostQuanta:
		return fmt.Errorf("a hold-off of %d quanta is not between 0 and %d", c.HoldOff,
			governor.MostQuanta)
	case c.Rest < 1 || c.Rest > governor.MostQuanta:
		return fmt.Errorf("a rest of %d quanta is not between 1 and %d", c.Rest,
			governor.MostQuanta)
	case c.Settle < 0 || c.Settle > maxSettle:
		return fmt.Errorf("settle %v is not between 0s and %v", c.Settle, maxSettle)
	case c.CarryMax < 0 || c.CarryMax > maxCarry:
		return fmt.Errorf("carry_max %v is not between 0s and %v", c.CarryMax, maxCarry)
	case !(c.CardPower >= 0) || math.IsInf(float64(c.CardPower), 1):
		return fmt.Errorf("card_power %v is negative or not finite", c.CardPower)
	case c.LinkMbps < 0 || c.LinkMbps > maxMbps:
		return fmt.Errorf("link_mbps %d is not between 0 and %d", c.LinkMbps, maxMbps)
	case c.RingBytes != 0 && (c.RingBytes < minRing || c.RingBytes > maxRing ||
		bits.OnesCount(uint(c.RingBytes)) != 1):
		return fmt.Errorf("ring_bytes %d is neither 0 nor a power of two between %d and %d",
			c.RingBytes, minRing, maxRing)
	}
	rules := append(policy.Rules(), policy.SystemRules()...)
	if err := oneOf("rule", c.Rule, rules); err != nil {
		return err
	}
	if slices.Contains(policy.SystemRules(), c.Rule) && c.Minimize != MinimizeSystemEnergy {
		return fmt.Errorf("rule %q minimizes the system's energy: it needs minimize %q", c.Rule,
			MinimizeSystemEnergy)
	}
	if err := c.Margin.Validate(); err != nil {
		return err
	}
	if err := oneOf("model", c.Model, predictor.ModelNames()); err != nil {
		return err
	}
	if c.Estimator != "" {
		if err := oneOf("estimator", c.Estimator, predictor.EstimatorNames()); err != nil {
			return err
		}
	}
	if err := oneOf("ctp", c.CTP, []string{predictor.Across, predictor.PerEpoch}); err != nil {
		return err
	}
	if err := checkLoopback(c.MetricsListen); err != nil {
		return err
	}
	return c.Power.Validate()
}

// checkLoopback refuses an address that others than this machine's users can reach.
func checkLoopback(address string) error {
	a, err := netip.ParseAddrPort(address)
	if address != "" && (err != nil || !a.Addr().IsLoopback() || a.Addr().Zone() != "") {
		return fmt.Errorf("metrics.listen %.80q is no loopback address with a port, such as "+
			"127.0.0.1:9323", address)
	}
	return nil
}

func oneOf(key, v string, names []string) error {
	if slices.Contains(names, v) {
		return nil
	}
	return fmt.Errorf("unknown %s %q: there are %s", key, v, strings.Join(names, ", "))
}
