package config

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func decodeTenants(text string) (Tenants, error) {
	return DecodeTenants(strings.NewReader(text), "my.toml")
}

func TestTenantsSample(t *testing.T) {
	got, err := LoadTenants("tenants.toml")
	if err != nil {
		t.Fatal(err)
	}
	want := []Tenant{
		{Name: "web", Unit: "nginx.service", Slowdown: 0.05, Budget: true},
		{Name: "batch", Cgroup: "batch.slice", Objective: MinimizeSystemEnergy},
		{Name: "database", PID: 4711},
	}
	if !slices.Equal(got.Tenants, want) || got.Rest != RestHighest {
		t.Errorf("%+v", got)
	}
}

// TestTenantsThatAre has files with what may be left out or written in another way.
func TestTenantsThatAre(t *testing.T) {
	for text, want := range map[string]Tenants{
		"[tenant.a]\npid = 1": {[]Tenant{{Name: "a", PID: 1}}, RestHighest},
		"tenant.a.pid = 1\nmachine.rest = \"background\"": {[]Tenant{{Name: "a", PID: 1}},
			RestBackground},
		"tenant = { a = { unit = \"x\", slowdown = \"0%\" } }": {
			[]Tenant{{Name: "a", Unit: "x", Budget: true}}, RestHighest},
		"[machine]\nrest = \"system-energy\"\n[tenant.\"a-1\"]\ncgroup = \"/sys/fs/cgroup/x\"": {
			[]Tenant{{Name: "a-1", Cgroup: "/sys/fs/cgroup/x"}}, RestSystemEnergy},
	} {
		got, err := decodeTenants(text)
		if err != nil || !slices.Equal(got.Tenants, want.Tenants) || got.Rest != want.Rest {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// manyTenants is a file of n tenants.
func manyTenants(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[tenant.t%d]\nunit = \"u%d.service\"\nslowdown = \"5%%\"\n", i, i)
	}
	return b.String()
}

func TestMostTenants(t *testing.T) {
	if got, err := decodeTenants(manyTenants(MaxTenants)); err != nil ||
		len(got.Tenants) != MaxTenants || got.Tenants[4095].Unit != "u4095.service" {
		t.Errorf("%d tenants, %v", len(got.Tenants), err)
	}
}

// refusedTenants are texts that are no file of tenants, and what the error says of each.
var refusedTenants = []struct {
	text string
	says []string
}{
	{"", []string{"no tenant", "[tenant.NAME]"}},
	{"[machine]\nrest = \"highest\"", []string{"no tenant"}},
	{manyTenants(MaxTenants + 1), []string{"4097 tenants, more than 4096"}},
	{"[tenants.a]\npid = 1", []string{"tenants", "did you mean tenant"}},
	{"[tenant.a]\npid = 1\n\nslodown = \"5%\"",
		[]string{"line 4", "slodown", "did you mean slowdown"}},
	{"[tenant.a]\npid = 1\nprice = 3", []string{"line 3", "price", "no such key", "objective"}},
	{"[tenant.a.b]\npid = 1", []string{"line 1", "no such key"}},
	{"[tenant.a]\npid.x = 1", []string{"tenant.a.pid", "whole number"}},
	{"[tenant.a]\npid = 1\nslowdown = \"5\"", []string{"line 3", "slowdown", "percent sign"}},
	{"[tenant.a]\npid = 1\nslowdown = 0.05", []string{"line 3", "slowdown", "percent sign"}},
	{"[tenant.a]\npid = 1\nslowdown = \"500%\"", []string{"slowdown", "between 0% and 100%"}},
	{"[tenant.a]\npid = 1\nobjective = \"fun\"", []string{"tenant a", "fun", "system-energy"}},
	{"[tenant.a]\npid = 1\nobjective = \"system-energy\"\nslowdown = \"5%\"",
		[]string{"tenant a", "one of them decides"}},
	{"[tenant.a]\nslowdown = \"5%\"", []string{"tenant a", "one of unit, cgroup and pid"}},
	{"[tenant.a]\nunit = \"x\"\npid = 3", []string{"tenant a", "one of unit, cgroup and pid"}},
	{"[tenant.a]\nunit = \"\"", []string{"line 2", "unit", "is empty"}},
	{"[tenant.a]\nunit = \"system.slice/x\"", []string{"tenant a", "is a path"}},
	{"[tenant.a]\ncgroup = \"x/../y\"", []string{"tenant a", ".."}},
	{"[tenant.a]\ncgroup = \"x\\ny\"", []string{"tenant a", "control character"}},
	{"[tenant.a]\npid = -1", []string{"line 2", "tenant.a.pid", "-1 is no process"}},
	{"[tenant.a]\npid = 0", []string{"line 2", "tenant.a.pid", "0 is no process"}},
	{"[tenant.a]\npid = \"1\"", []string{"line 2", "whole number"}},
	{"[tenant.\"a b\"]\npid = 1", []string{"a b", "no name"}},
	{"[tenant.\"\"]\npid = 1", []string{"no name"}},
	{"[tenant." + strings.Repeat("a", 65) + "]\npid = 1", []string{"no name", "64"}},
	{"[[tenant.a]]\npid = 1", []string{"line 1", "[tenant.a]"}},
	{"tenant = 3", []string{"line 1", "[tenant.NAME]"}},
	{"machine = 3", []string{"line 1", "[machine]"}},
	{"[tenant.a]\npid = 1\n[machine]\nrest = \"lowest\"",
		[]string{"machine.rest", "lowest", "background"}},
	{"[tenant.a]\npid = 1\n[machine]\nrst = \"highest\"", []string{"line 4", "did you mean rest"}},
	{"[tenant.a]\npid = 1\n[machine]\nrest = 3", []string{"line 4", "rest", "quotes"}},
	{"[tenant.a]\npid = 7\n[tenant.b]\npid = 7", []string{"tenants a and b", "process 7"}},
	{"[tenant.a]\ncgroup = \"/sys/fs/cgroup/x.slice/\"\n[tenant.b]\ncgroup = \"x.slice\"",
		[]string{"tenants a and b", "cgroup /x.slice"}},
	{"[tenant.a]\nunit = \"x\"\n[tenant.b]\nunit = \"x.service\"",
		[]string{"tenants a and b", "unit x.service"}},
	{"[tenant.a]\npid = 1\n[tenant.a]\npid = 2", []string{"line 3", "tenant.a"}},
	{"[[[", []string{"line 1"}},
	{"a" + strings.Repeat(".a", maxTenantsLine/2) + " = 1", []string{"line 1", "longer than"}},
	{"a" + strings.Repeat(".a", maxNested+1) + " = 1", []string{"line 1", "dots and brackets"}},
	{strings.Repeat("[\n", maxBrackets+1), []string{"line 8193", "brackets so far"}},
	{strings.Repeat("#\n", maxTenantsBytes/2+1), []string{"longer than"}},
}

// TestTenantsErrors has the mistakes that a user can make. Every error names the file and the
// place, in one sentence.
func TestTenantsErrors(t *testing.T) {
	for _, tc := range refusedTenants {
		_, err := decodeTenants(tc.text)
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

// FuzzDecodeTenants: no text makes DecodeTenants fall over, and what it accepts is valid.
func FuzzDecodeTenants(f *testing.F) {
	sample, err := os.ReadFile("tenants.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sample))
	for _, tc := range refusedTenants {
		if len(tc.text) < 1000 {
			f.Add(tc.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := decodeTenants(text)
		if err != nil {
			if !strings.Contains(err.Error(), "my.toml") {
				t.Errorf("%q does not name the file", err)
			}
			return
		}
		if err := got.Validate(); err != nil {
			t.Errorf("accepted, but %v", err)
		}
	})
}
