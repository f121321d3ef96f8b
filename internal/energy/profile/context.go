package profile

import (
	"slices"
	"strconv"
	"strings"
)

// maxDepth is the most callers of a view by call site.
const maxDepth = 64

// depthOf returns the number of callers in a view by call site: 2 for "cfa2"; 0 for another view.
func depthOf(by string) int {
	number, ok := strings.CutPrefix(by, "cfa")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 1 || n > maxDepth || strconv.Itoa(n) != number {
		return 0
	}
	return n
}

// IsView reports whether there is a view by that name.
func IsView(by string) bool { return slices.Contains(Views, by) || depthOf(by) > 0 }

// callSite returns the method that a stack is booked to, with its callers, the innermost first. A
// method that calls itself appears as often as it does so.
func (v *View) callSite(s *Stack) string {
	names := v.methods(s)
	if v.application(s) == nil || len(names) == 0 {
		return v.outside(s)
	}
	return strings.Join(names[:min(1+v.depth, len(names))], " < ")
}

// contextDepth is the number of application frames in a calling context.
const contextDepth = 3

// context returns the nearest application frames, the innermost first.
func (v *View) context(s *Stack) string {
	var names []string
	for _, i := range s.Frames {
		f := &v.profile.Frames[i]
		if !v.isApplication(f) {
			continue
		}
		// direct recursion counts as one step
		if n, name := len(names), nameOf(f); n == 0 || names[n-1] != name {
			names = append(names, name)
		}
		if len(names) == contextDepth {
			break
		}
	}
	if len(names) == 0 {
		return v.outside(s)
	}
	return strings.Join(names, " < ")
}
