package host

import (
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestLargestCache: a machine's memory programs are larger than its caches, within bounds.
func TestLargestCache(t *testing.T) {
	const dir = "\nfile 0444 devices/system/cpu/cpu0/cache/index"
	for _, c := range []struct {
		name, tree           string
		memory               uint64 // MiB
		cache, chase, stream int    // MiB
	}{
		{"nothing is said", dir + "0/level\n\t1\n", 4096, 16, 64, 128},
		{"a board", dir + "0/size\n\t32K\n" + dir + "2/size\n\t1024K\n", 1024, 1, 16, 128},
		{"a desktop", dir + "2/size\n\t2048K\n" + dir + "3/size\n\t30720K\n", 16384, 30, 128, 128},
		{"stacked cache", dir + "3/size\n\t98304K\n", 32768, 96, 512, 512},
		{"a large server", dir + "3/size\n\t516096K\n", 262144, 504, 1024, 1024},
		{"a small guest of it", dir + "3/size\n\t516096K\n", 1024, 504, 256, 256},
		{"a tiny one", dir + "3/size\n\t516096K\n", 256, 504, 64, 128},
		{"nonsense", dir + "3/size\n\t99999999999K\n" + dir + "4/size\n\t-7K\n", 4096, 16, 64, 128},
	} {
		cache := largestCache(devtest.Tree(t, c.tree))
		chase, stream := around(cache, leastChase, c.memory<<20), around(cache,
			leastStream, c.memory<<20)
		if cache != c.cache<<20 || chase != c.chase<<20 || stream != c.stream<<20 {
			t.Errorf("%s: %d MiB of cache, %d and %d MiB of memory", c.name, cache>>20, chase>>20,
				stream>>20)
		}
	}
}
