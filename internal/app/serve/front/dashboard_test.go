package front

import (
	"os"
	"regexp"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
)

// TestDashboardAsksForWhatThereIs: the rules and the dashboard ask for no metric that a service
// with all that one can have does not have.
func TestDashboardAsksForWhatThereIs(t *testing.T) {
	_, _, all := ask(t, served(t, full(t), asRoot), "GET", api.MetricsPath, nil)
	there := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(ebb_\w+)`).FindAllString(all, -1) {
		there[m] = true
	}
	asked := map[string]bool{}
	for _, file := range []string{"prometheus/ebb.rules.yml", "grafana/ebb.json"} {
		text, err := os.ReadFile("../../../../tools/dist/" + file)
		if err != nil {
			t.Fatal(err)
		}
		name := regexp.MustCompile(`[^:\w](ebb_\w+)`) // those that a rule records begin otherwise
		for _, m := range name.FindAllStringSubmatch(string(text), -1) {
			if asked[m[1]] = true; !there[m[1]] {
				t.Errorf("%s asks for %s", file, m[1])
			}
		}
	}
	for m := range there {
		if !asked[m] {
			t.Errorf("nothing asks for %s", m)
		}
	}
}
