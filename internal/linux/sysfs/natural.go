package sysfs

import (
	"cmp"
	"slices"
	"strings"
)

// sortNatural sorts names so that policy2 comes before policy10.
func sortNatural(names []string) {
	slices.SortFunc(names, func(a, b string) int {
		ap, an := splitNumber(a)
		bp, bn := splitNumber(b)
		return cmp.Or(
			strings.Compare(ap, bp),
			cmp.Compare(len(an), len(bn)),
			strings.Compare(an, bn),
			strings.Compare(a, b),
		)
	})
}

// splitNumber splits a name into a head and its trailing number without leading zeros.
func splitNumber(s string) (head, number string) {
	head = strings.TrimRight(s, "0123456789")
	return head, strings.TrimLeft(s[len(head):], "0")
}
