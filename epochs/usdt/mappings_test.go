package usdt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestMappings(t *testing.T) {
	const java = "7f0000000000-7f00002e3000 r--p 00000000 fe:00 4711                       " +
		"/usr/lib/jvm/lib/server/libjvm.so\n"
	var many strings.Builder
	for i := range MaxMappings + 1 {
		fmt.Fprintf(&many, "%x-%x r-xp 00000000 fe:00 %d /tmp/%d/libjvm.so\n", i<<12, (i+1)<<12,
			i+1, i)
	}
	for name, c := range map[string]struct {
		maps string
		want []Range
		all  bool
	}{
		"none":      {"", nil, true},
		"a runtime": {java, []Range{{0x7f0000000000, 0x7f00002e3000}}, true},
		"four mappings are one file": {java + strings.ReplaceAll(java, "7f000", "7f001") +
			strings.ReplaceAll(java, "7f000", "7f002"),
			[]Range{{0x7f0000000000, 0x7f00002e3000}}, true},
		"another device is another file": {java + "1000-2000 r--p 00000000 fe:01 4711 /libjvm.so\n",
			[]Range{{0x7f0000000000, 0x7f00002e3000}, {0x1000, 0x2000}}, true},
		"replaced since": {"1000-2000 r-xp 00000000 fe:01 4711 /lib/libjvm.so (deleted)\n",
			[]Range{{0x1000, 0x2000}}, true},
		"no newline at the end": {strings.TrimSuffix(java, "\n"),
			[]Range{{0x7f0000000000, 0x7f00002e3000}}, true},
		"spaces in the path": {"1000-2000 r-xp 00000000 fe:01 4711   /a b/ c/libjvm.so\n",
			[]Range{{0x1000, 0x2000}}, true},
		"another name": {"1000-2000 r-xp 00000000 fe:01 4711 /lib/xlibjvm.so\n" +
			"2000-3000 r-xp 00000000 fe:01 4711 /libjvm.so/x\n", nil, true},
		"not a path": {"1000-2000 rw-p 00000000 00:00 0 [anon:/libjvm.so]\n" +
			"1000-2000 rw-p 00000000 00:00 0 libjvm.so\n", nil, true},
		"lines without sense": {"\n \n-\n1-\nffffffffffffffffff-1 r 0 0 0 /libjvm.so\n" +
			"2000-1000 r--p 0 0 0 /libjvm.so\n1000-2000 /libjvm.so\n" + java,
			[]Range{{0x7f0000000000, 0x7f00002e3000}}, true},
		"too many": {many.String(), nil, false},
	} {
		got, all := Mappings([]byte(c.maps), JVMLibrary)
		if all != c.all || c.all && !slices.Equal(got, c.want) ||
			!c.all && len(got) != MaxMappings {
			t.Errorf("%s: %x, all: %v; want %x, %v", name, got, all, c.want, c.all)
		}
	}
}
