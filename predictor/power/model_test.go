package power

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestTable2 holds the default parameters to what their documentation says of them.
func TestTable2(t *testing.T) {
	m := Table2()
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	// The paper's Table 2; the linear relation of its footnote is 6 mV off at most.
	for f, v := range map[units.Frequency]float64{
		1 * ghz: 0.737, 3 * ghz / 2: 0.791, 2 * ghz: 0.845, 5 * ghz / 2: 0.899,
		3 * ghz: 0.958, 7 * ghz / 2: 1.012, 4 * ghz: 1.07,
	} {
		if got := m.Voltage(f); math.Abs(got-v) > 0.0065 {
			t.Errorf("%.4f V at %v, Table 2 has %.3f V", got, f, v)
		}
	}
	// Four busy cores at 3.5 GHz: 22.77 W + 60.47 W.
	e := m.Energy(Work{Dur: time.Second, CoreBusy: 4 * time.Second, Base: 7 * ghz / 2,
		F: 7 * ghz / 2})
	near(t, "static", e.CPUStatic.Over(time.Second), 22.77)
	near(t, "dynamic", e.CPUDynamic.Over(time.Second), 60.46)
	near(t, "memory", e.DRAMStatic.Over(time.Second), 1.5)
	if e.Platform != 0 {
		t.Errorf("platform %v, want none", e.Platform)
	}
}

func near(t *testing.T, what string, got units.Power, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 0.01 {
		t.Errorf("%s: %.3f W, want %.2f W", what, float64(got), want)
	}
}

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		change func(*Model)
		says   string
	}{
		{func(m *Model) { *m = Model{} }, "reference"},
		{func(m *Model) { m.VoltsPerGHz = math.NaN() }, "volts per GHz"},
		{func(m *Model) { m.VoltsAtZero = -1 }, "volts at zero"},
		{func(m *Model) { m.Static = -1 }, "static power"},
		{func(m *Model) { m.Core = units.Power(math.Inf(1)) }, "core power"},
		{func(m *Model) { m.FullLoad = -1 }, "full load"},
		{func(m *Model) { m.FullLoad = m.Static - 1 }, "full load"},
		{func(m *Model) { m.DRAMStatic = -1 }, "memory's static power"},
		{func(m *Model) { m.DRAMAccess = -1 }, "memory request"},
		{func(m *Model) { m.Platform = -1 }, "platform"},
		{func(m *Model) { m.Reference = -1 }, "reference"},
		{func(m *Model) { m.VoltsAtZero, m.VoltsPerGHz = 0, 0 }, "voltage"},
	} {
		m := Table2()
		tc.change(&m)
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%+v: %v, want something about %s", m, err, tc.says)
		}
	}
}

// TestJSON: a model in a recording gives the same energies when it is read back.
func TestJSON(t *testing.T) {
	want := Table2()
	want.Platform, want.Core = 17.3, 19.123456789
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Model
	if err := json.Unmarshal(b, &got); err != nil || got != want {
		t.Errorf("%s: %+v, %v", b, got, err)
	}
}
