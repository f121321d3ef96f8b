package prose

import "testing"

// FuzzBlocks: a page may have anything in it, and every number of it is one.
func FuzzBlocks(f *testing.F) {
	f.Add("Words.\n\n<!-- figures: a | \"5 ms\" -->\n1.5 % (3) of 5 ms,\n\n    code 1 %\n")
	f.Add("<!-- output: x -->\n\n    $ ebb\n    ...\n\n- 1,000.5 us, -3 %)\n")
	f.Fuzz(func(t *testing.T, page string) {
		for _, b := range blocks(page) {
			for _, n := range b.numbers() {
				if n.Text == "" || n.Value < 0 || n.Decimals < 0 {
					t.Errorf("%q: %+v", page, n)
				}
			}
			_ = b.check(figures{})
		}
	})
}
