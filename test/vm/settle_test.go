package vm

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDoctorMeasuresTheSettleTime: the platform's clock follows a request at once. The measured
// time comes from the request's way through the kernel, the sampling of the clock, and the pace of
// the platform's slow-down. Afterwards everything is as it was.
func TestDoctorMeasuresTheSettleTime(t *testing.T) {
	before := controls(t)
	r := command(t, "/bin/ebb", "doctor", "--measure", "--json")
	var findings []struct{ What, State, Detail string }
	if err := json.Unmarshal([]byte(r.out), &findings); err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	for _, f := range findings {
		if f.What == "settle time" {
			t.Log(f.Detail)
			if f.State != "good" || !strings.Contains(f.Detail, "by cycles") {
				t.Errorf("%+v", f)
			}
		}
	}
	same(t, controls(t), before)
}
