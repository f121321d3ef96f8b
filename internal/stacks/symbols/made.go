package symbols

import (
	"strings"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// Made returns the pieces of code that the Java virtual machine of an image has made around these
// addresses, at most so many, as they lie at the time of the call. A method with a text of more
// than longest bytes gives a piece without a method.
func (r *Resolver) Made(i Image, addrs []uint64, most, longest int) (list []Code) {
	p := r.process(i, 0)
	if p.gone {
		return nil
	}
	if p.java.due() {
		r.refreshJava(p)
	}
	if p.java.machine == nil {
		return nil
	}
	p.java.machine.Pieces(addrs, func(x unwind.JavaPiece) {
		if len(list) >= most {
			return
		}
		out := Code{Start: x.Start, End: x.End, Made: true}
		m := x.Method
		m.Class = strings.TrimSuffix(stable(m.Class+"."), ".")
		if m.Class != "" &&
			max(len(m.Class), len(m.Name), len(m.Signature)) <= min(longest, maxName) {
			out.Class, out.Function, out.Signature = printable(m.Class), printable(m.Name),
				printable(m.Signature)
		}
		list = append(list, out)
	})
	return list
}
