package unwind

import (
	"reflect"
	"testing"
)

// TestPieces: code is the method's that was compiled there, by class, name and signature, from the
// beginning of its blob to the end; what has taken its place is seen at once.
func TestPieces(t *testing.T) {
	p := newProcess()
	code, interpreter := p.add(0, "nmethod", 4, 12, nops), p.add(8, "Interpreter", 0, -1, nops)
	one := p.method("java/lang/String", "hashCode", interpreter)
	other := p.method("app/Main$1", "<init>", interpreter)
	elsewhere, nameless := p.method("app/Main", "run", imageAt), p.method("app/Main", "",
		interpreter)
	p.runs(code, one)
	m := p.open(t)
	pieces := func(addrs ...uint64) (list []JavaPiece) {
		m.Pieces(addrs, func(x JavaPiece) { list = append(list, x) })
		return list
	}
	end := code + uint64(len(nops))
	want := []JavaPiece{{code - blobHead, end, JavaMethod{"java.lang.String", "hashCode", "(I)V"}}}
	for _, at := range []uint64{code, code + 200, end - 1} {
		if got := pieces(at, at); !reflect.DeepEqual(got, want) {
			t.Errorf("%#x: %+v, want %+v", at, got, want)
		}
	}
	for what, at := range map[string]uint64{"behind it": end, "free": heapAt + heapSize - 1,
		"elsewhere": imageAt} {
		if got := pieces(at); got != nil {
			t.Errorf("%s: %+v", what, got)
		}
	}
	got := pieces(interpreter, code)
	if len(got) != 2 || got[0].Method != (JavaMethod{}) || got[1] != want[0] {
		t.Errorf("interpreter and method: %+v", got)
	}
	p.runs(code, other)
	if got := pieces(code); got[0].Method.Class != "app.Main$1" {
		t.Errorf("another method's code: %+v", got)
	}
	for what, method := range map[string]uint64{"entered elsewhere": elsewhere,
		"no name": nameless, "none": 0, "odd": one + 4, "nowhere": 1 << 60} {
		p.runs(code, method)
		if got := pieces(code); len(got) != 1 || got[0].Method != (JavaMethod{}) {
			t.Errorf("%s: %+v", what, got)
		}
	}
}
