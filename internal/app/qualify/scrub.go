package qualify

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Scrub replaces words, such as names of hosts and users, by their values in the sentences of a
// result. A text without space and slash is a word of ebb's own, and stays. The kernel's release
// does not, because its builder may have named it.
func (r *Result) Scrub(words map[string]string) {
	var parts []string
	for w := range words {
		if len(w) > 1 {
			parts = append(parts, regexp.QuoteMeta(w))
		}
	}
	if len(parts) == 0 {
		return
	}
	// Of two words with the same begin the longer one goes first.
	slices.SortFunc(parts, func(a, b string) int { return len(b) - len(a) })
	word := regexp.MustCompile(`(^|[^\pL\pN])(` + strings.Join(parts, "|") + `)($|[^\pL\pN])`)
	replace := func(s string) string {
		for range 8 { // two in a row share the character between them
			next := word.ReplaceAllStringFunc(s, func(found string) string {
				m := word.FindStringSubmatch(found)
				return m[1] + words[m[2]] + m[3]
			})
			if next == s {
				break
			}
			s = next
		}
		return s
	}
	r.Machine.Kernel = replace(r.Machine.Kernel)
	scrub(reflect.ValueOf(r).Elem(), replace)
}

func scrub(v reflect.Value, replace func(string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scrub(v.Elem(), replace)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			scrub(v.Field(i), replace)
		}
	case reflect.Slice:
		for i := range v.Len() {
			scrub(v.Index(i), replace)
		}
	case reflect.String:
		if s := v.String(); strings.ContainsAny(s, " /") {
			v.SetString(replace(s))
		}
	}
}
