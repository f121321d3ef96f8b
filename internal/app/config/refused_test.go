package config

import (
	"strings"
	"testing"
)

// refused are texts that are no configuration, and what the error says of each.
var refused = []struct {
	text string
	says []string
}{
	{`slowdwn = "5%"`, []string{"line 1", "slowdwn", "no such key", "did you mean slowdown"}},
	{"# first\nquantum = \"5ms\"\n\nqantum = \"5ms\"",
		[]string{"line 4", "qantum", "did you mean quantum"}},
	{`frobnicate = 1`, []string{"line 1", "frobnicate", "no such key"}},
	{"[powr]\nstatic = \"1W\"", []string{"line 1", "powr", "no such key"}},
	{"[power]\n\nstatik = \"1W\"",
		[]string{"line 3", "power.statik", "did you mean power.static"}},
	{"[power.static]\nx = 1", []string{"power.static"}},
	{"[[power]]\nstatic = \"1W\"", []string{"line 1", "power", "[power]"}},
	{"power = 3", []string{"line 1", "power", "[power]"}},
	{`"power.static" = "1W"`, []string{"line 1", "no such key"}},
	{`Slowdown = "5%"`, []string{"line 1", "did you mean slowdown"}},
	{`slowdown = "5"`, []string{"line 1", "slowdown", "percent sign"}},
	{`slowdown = 5`, []string{"line 1", "slowdown", "percent sign"}},
	{`slowdown = 0.05`, []string{"line 1", "slowdown", "percent sign"}},
	{`slowdown = true`, []string{"line 1", "slowdown", "text in quotes"}},
	{`slowdown = "-1%"`, []string{"slowdown", "-1%", "between 0% and 100%"}},
	{`slowdown = "200%"`, []string{"slowdown", "200%", "between 0% and 100%"}},
	{`slowdown = "NaN%"`, []string{"slowdown", "NaN"}},
	{`slowdown = ["5%"]`, []string{"slowdown", "text in quotes"}},
	{"[metrics]\nlisten = \"0.0.0.0:9323\"", []string{"metrics.listen", "loopback", "0.0.0.0"}},
	{"[metrics]\nlisten = \"127.0.0.1\"", []string{"metrics.listen", "port"}},
	{"[metrics]\nlisten = \"[fe80::1%lo]:1\"", []string{"metrics.listen", "loopback"}},
	{"[allow]\nusers = \"a b\"", []string{"allow.users", "a b"}},
	{"[allow]\nusers = \"a,,b\"", []string{"allow.users"}},
	{"[allow]\nusers = \"4294967295\"", []string{"allow.users", "number"}},
	{"[allow]\nbudgets = \"5%\"", []string{"allow.budgets", "LEAST..MOST"}},
	{"[allow]\nbudgets = \"5%..1%\"", []string{"allow.budgets", "no range"}},
	{"[allow]\nbudgets = \"1..5%\"", []string{"allow.budgets", "%"}},
	{"[allow]\nagents = \"a b\"", []string{"allow.agents", "a b"}},
	{"[allow]\nnamespaces = \"Shop\"", []string{"allow.namespaces", "Shop"}},
	{"[allow]\nnamespaces = \"*\"", []string{"allow.namespaces", "*"}},
	{"[allow]\nnamespaces = \"a,,b\"", []string{"allow.namespaces"}},
	{"[allow]\nnamespaces = \"" + strings.Repeat("a", 64) + "\"", []string{"allow.namespaces"}},
	{"[metrics]\nlisten = \":9323\"", []string{"metrics.listen", "loopback"}},
	{"[metrics]\nlisten = \"localhost:9323\"", []string{"metrics.listen", "loopback"}},
	{`minimize = "fun"`, []string{"minimize", "fun", "system-energy"}},
	{"minimize = \"system-energy\"\nfrequency = \"2GHz\"",
		[]string{"2GHz", "system-energy", "not both"}},
	{`frequency = 2400`, []string{"line 1", "frequency", "has no unit", "2.4GHz"}},
	{`frequency = "-2GHz"`, []string{"frequency", "negative"}},
	{`quantum = 5`, []string{"line 1", "quantum", "with its unit"}},
	{`quantum = "5"`, []string{"line 1", "quantum", "with its unit"}},
	{`quantum = "1us"`, []string{"quantum", "1µs", "1ms"}},
	{`quantum = "9000h"`, []string{"quantum", "9000h", "1m"}},
	{`hold_off = -1`, []string{"hold-off", "-1", "10000"}},
	{`settle = "2s"`, []string{"settle", "2s", "1s"}},
	{`rule = "evn"`, []string{"rule", "evn", "even"}},
	{`rule = "six-steps"`, []string{"rule", "six-steps", "minimize", "system-energy"}},
	{`margin = "95%"`, []string{"margin", "95%", "90%"}},
	{`margin = "error"`, []string{"margin", "error-bar"}},
	{`hold_off = "1"`, []string{"line 1", "hold_off", "without quotes"}},
	{`hold_off = 1.5`, []string{"line 1", "hold_off", "whole number"}},
	{`hold_off = 99999999999999999999`, []string{"line 1"}},
	{`carry_max = "-1s"`, []string{"carry_max", "-1s"}},
	{`shadow = "yes"`, []string{"line 1", "shadow", "true or false"}},
	{`model = "oracle"`, []string{"model", "oracle", "dep+burst"}},
	{`model = ""`, []string{"model"}},
	{`model = 3`, []string{"line 1", "model", "quotes"}},
	{`estimator = "guess"`, []string{"estimator", "guess", "stall"}},
	{`ctp = "epoch"`, []string{"ctp", "epoch", "per-epoch"}},
	{`ring_bytes = 1000`, []string{"ring_bytes", "1000", "power of two"}},
	{`ring_bytes = 2048`, []string{"ring_bytes", "2048"}},
	{`ring_bytes = 2147483648`, []string{"ring_bytes", "2147483648"}},
	{`ring_bytes = -4096`, []string{"ring_bytes", "-4096"}},
	{"[power]\nstatic = \"-1W\"", []string{"static", "-1"}},
	{"[power]\nstatic = 24", []string{"line 2", "power.static", "has no unit"}},
	{"[power]\nreference = \"0Hz\"", []string{"reference", "0Hz"}},
	{"[power]\nvolts_per_ghz = \"0.11\"",
		[]string{"line 2", "power.volts_per_ghz", "a number"}},
	{"[power]\nvolts_per_ghz = nan", []string{"volts per GHz", "NaN"}},
	{"[power]\nvolts_per_ghz = 0\nvolts_at_zero = 0", []string{"voltage", "0"}},
	{"slowdown = \"5%\"\nslowdown = \"6%\"", []string{"line 2", "slowdown"}},
	{"[[[", []string{"line 1"}},
	{"slowdown = \"5%", []string{"line 1"}},
	{"slowdown = \"5%\" # \x00", []string{"line 1"}},
	{"shadow = true\n" + "a" + strings.Repeat(".a", maxLine/2) + " = 1",
		[]string{"line 2", "longer than"}},
	{strings.Repeat("#\n", maxBytes/2+1), []string{"longer than"}},
}

// TestErrorsNameFilePlaceAndExpectedValue has the mistakes that a user can make. Every error names
// the file, the place and the expected value, in one sentence.
func TestErrorsNameFilePlaceAndExpectedValue(t *testing.T) {
	for _, tc := range refused {
		_, err := decode(tc.text)
		if err == nil {
			t.Errorf("%.80q was accepted", tc.text)
			continue
		}
		for _, w := range append(tc.says, "my.toml") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%.80q: %q does not say %q", tc.text, err, w)
			}
		}
		if len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\n\x00") {
			t.Errorf("%.80q: no sentence: %q", tc.text, err)
		}
	}
}
