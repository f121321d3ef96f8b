package sysfs

import (
	"reflect"
	"slices"
	"testing"
)

func TestParseCPUs(t *testing.T) {
	for _, c := range []struct {
		list string
		want []CPU
		bad  bool
	}{
		{list: ""},
		{list: "0", want: []CPU{0}},
		{list: "0-3,8", want: []CPU{0, 1, 2, 3, 8}},
		{list: "2,4-5,7", want: []CPU{2, 4, 5, 7}},
		{list: "5-5", want: []CPU{5}},
		{list: "3-1", bad: true},
		{list: "1,0", bad: true},
		{list: "0-3,3", bad: true},
		{list: "0-", bad: true},
		{list: "-1", bad: true},
		{list: "1,,2", bad: true},
		{list: " 1", bad: true},
		{list: "0-3:1/2", bad: true},
		{list: "65536", bad: true},
		{list: "0-4294967295", bad: true},
		{list: "0-18446744073709551616", bad: true},
	} {
		got, err := ParseCPUs(c.list)
		if (err != nil) != c.bad || !reflect.DeepEqual(got, c.want) {
			t.Errorf("ParseCPUs(%q) = %v, %v; want %v, an error: %v", c.list, got, err, c.want,
				c.bad)
		}
	}
}

func FuzzParseCPUs(f *testing.F) {
	f.Add("0-3,8")
	f.Fuzz(func(t *testing.T, list string) {
		cpus, err := ParseCPUs(list)
		if err != nil {
			if cpus != nil {
				t.Fatalf("%v with %v", cpus, err)
			}
			return
		}
		if !slices.IsSorted(cpus) || len(slices.Compact(slices.Clone(cpus))) != len(cpus) {
			t.Fatalf("not ascending: %v", cpus)
		}
		again, err := ParseCPUs(FormatCPUs(cpus))
		if err != nil || !slices.Equal(again, cpus) {
			t.Fatalf("%q is printed as %q, which reads as %v, %v", list, FormatCPUs(cpus), again,
				err)
		}
	})
}

func TestFormatCPUs(t *testing.T) {
	for want, cpus := range map[string][]CPU{"": nil, "3": {3}, "0-3,8": {0, 1, 2, 3, 8},
		"0,2,4": {0, 2, 4}} {
		if got := FormatCPUs(cpus); got != want {
			t.Errorf("FormatCPUs(%v) = %q", cpus, got)
		}
	}
}
