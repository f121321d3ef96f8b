// Command pure prints the packages that start no goroutine, by the rules, each on a line. The race
// detector has nothing to find in them.
package main

import (
	"fmt"

	"github.com/ebb-energy/ebb/test/importrules"
)

func main() {
	for _, r := range importrules.Rules {
		if r.Alone() {
			fmt.Println(importrules.Module + "/" + r.Package)
		}
	}
}
