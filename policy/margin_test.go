package policy

import (
	"strings"
	"testing"
)

// TestMarginIsReadBackAsWritten: a margin reads back as it was written.
func TestMarginIsReadBackAsWritten(t *testing.T) {
	for _, m := range []Margin{{}, {Share: 0.025}, {ErrorBar: true}} {
		b, err := m.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var got Margin
		if err := got.UnmarshalText(b); err != nil || got != m || m.String() != string(b) {
			t.Errorf("%+v is written %q and read %+v, %v", m, b, got, err)
		}
	}
	var m Margin
	if err := m.Set("5"); err == nil || !strings.Contains(err.Error(), "error-bar") {
		t.Errorf("5 without a percent sign: %v", err)
	}
	for _, r := range append(Rules(), "") {
		if err := CheckRule(Rule(r)); err != nil {
			t.Error(err)
		}
	}
	if CheckRule("odd") == nil || (Margin{Share: 0.95}).Validate() == nil ||
		(Margin{Share: -0.1}).Validate() == nil {
		t.Error("what makes no sense was accepted")
	}
}
