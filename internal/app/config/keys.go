package config

import (
	"encoding"
	"errors"
	"fmt"
	"time"
)

// key is a key of the file with the destination of its value. The dotted name has the table before
// the point.
type key struct {
	name string
	dst  any
}

// keys returns the keys of a file, in the order of the documentation.
func (c *Config) keys() []key {
	p := &c.Power
	return []key{
		{"slowdown", &c.Slowdown},
		{"minimize", &c.Minimize},
		{"frequency", &c.Frequency},
		{"states", &c.States},
		{"quantum", &c.Quantum},
		{"hold_off", &c.HoldOff},
		{"rest", &c.Rest},
		{"settle", &c.Settle},
		{"rule", &c.Rule},
		{"margin", &c.Margin},
		{"carry_max", &c.CarryMax},
		{"shadow", &c.Shadow},
		{"model", &c.Model},
		{"estimator", &c.Estimator},
		{"ctp", &c.CTP},
		{"ring_bytes", &c.RingBytes},
		{"report", &c.Report},
		{"power.volts_per_ghz", &p.VoltsPerGHz},
		{"power.volts_at_zero", &p.VoltsAtZero},
		{"power.reference", &p.Reference},
		{"power.static", &p.Static},
		{"power.core", &p.Core},
		{"power.full_load", &p.FullLoad},
		{"power.dram_static", &p.DRAMStatic},
		{"power.dram_access", &p.DRAMAccess},
		{"power.platform", &p.Platform},
		{"network.card_power", &c.CardPower},
		{"network.link_mbps", &c.LinkMbps},
		{"metrics.listen", &c.MetricsListen},
		{"allow.users", &c.Allow.Users},
		{"allow.budgets", &c.Allow.Budgets},
		{"allow.agents", &c.Allow.Agents},
		{"allow.namespaces", &c.Allow.Namespaces},
	}
}

// assign stores a value as TOML has it. Nothing is converted that a reader could take for something
// else.
func assign(dst, v any) error {
	switch dst := dst.(type) {
	case *string:
		s, ok := v.(string)
		if !ok {
			return errors.New("wants text in quotes")
		}
		*dst = s
	case *bool:
		b, ok := v.(bool)
		if !ok {
			return errors.New("wants true or false, without quotes")
		}
		*dst = b
	case *int:
		n, ok := v.(int64)
		if !ok || int64(int(n)) != n {
			return errors.New("wants a whole number, without quotes")
		}
		*dst = int(n)
	case *float64:
		switch n := v.(type) {
		case float64:
			*dst = n
		case int64:
			*dst = float64(n)
		default:
			return errors.New("wants a number, without quotes")
		}
	case *time.Duration:
		return assignDuration(dst, v)
	case encoding.TextUnmarshaler:
		switch v := v.(type) {
		case string:
			return dst.UnmarshalText([]byte(v))
		case int64, float64:
			return dst.UnmarshalText(fmt.Append(nil, v)) // the error says which unit is missing
		}
		return errors.New("wants text in quotes")
	default:
		panic(fmt.Sprintf("no rule for a %T", dst))
	}
	return nil
}

func assignDuration(dst *time.Duration, v any) error {
	s, ok := v.(string)
	if !ok {
		return errors.New(`wants a time with its unit in quotes, such as "5ms"`)
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf(`%.40q is not a time with its unit, such as "5ms"`, s)
	}
	*dst = d
	return nil
}
