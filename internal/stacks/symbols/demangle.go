package symbols

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Bounds of mangled names. Of the 490,000 of LLVM, rustc, HotSpot and Chromium the longest has 1222
// bytes.
const (
	maxMangled  = 2048     // bytes: of those, nested as deep as can be, the stack is 3 MB
	maxGrowth   = 32 << 20 // bytes of memory that reading a name may take
	maxPieces   = 1 << 14  // pieces of a name, each counted as often as it is written
	outputPower = 11       // a name is written up to 2 to this power bytes
)

// demangled returns the name, without parameters, of the function that a compiler made a symbol
// for. It returns the symbol itself where the library could take too much memory or time to read
// it. A few bytes of a symbol can stand for all that came before, so 168 bytes can expand beyond
// any memory, and a program cannot recover when its memory or its stack runs out.
func demangled(symbol string) (name string) {
	if len(symbol) > maxMangled {
		return symbol
	}
	defer func() {
		if p := recover(); p != nil { // the library panics on trees without sense
			name = symbol
		}
	}()
	options := []demangle.Option{demangle.NoParams, demangle.NoTemplateParams,
		demangle.MaxLength(outputPower)}
	if strings.HasPrefix(symbol, "_R") {
		return demangle.Filter(symbol, options...) // all that it reads again writes something
	}
	if growth(symbol) > maxGrowth {
		return symbol
	}
	if tree, err := demangle.ToAST(symbol, options...); err == nil && pieces(tree) > maxPieces {
		return symbol
	}
	return demangle.Filter(symbol, options...)
}

// growth estimates, in bytes, the most memory that the library takes to read a C++ symbol. The
// estimate is from measurements. Three things grow: what is read a second time as an operator's
// type (cv), what is copied since it has a template's parameter (T_) and is referred to (S_), and
// what is written for each argument of a pack (Dp, sp). Text that only looks like them also counts.
func growth(symbol string) uint64 {
	doublings := 2 * strings.Count(symbol, "cv")
	parameter, run := false, 0
	for i := range len(symbol) {
		switch c := symbol[i]; {
		case c == '_':
			word := symbol[run:i]
			if parameter && strings.IndexByte(word, 'S') >= 0 {
				doublings++
			}
			if at := strings.LastIndexByte(word, 'T'); at >= 0 &&
				strings.Trim(word[at+1:], "0123456789L") == "" {
				parameter = true
			}
			run = i + 1
		case c < '0' || c > 'Z' || c > '9' && c < 'A':
			run = i + 1
		}
	}
	pack := uint64(strings.Count(symbol, "Dp")+
		strings.Count(symbol, "sp")) * uint64(arguments(symbol))
	bytes := 10*uint64(len(symbol)) + 512 + 165*pack*pack
	if doublings > 32 {
		return ^uint64(0)
	}
	return bytes << doublings
}

// arguments returns an upper bound of the arguments in a symbol's packs: each takes at least one
// byte outside of names.
func arguments(symbol string) (n int) {
	at := strings.IndexByte(symbol, 'J')
	if at < 0 {
		return 0
	}
	for i := at; i < len(symbol); {
		c := symbol[i]
		if c < '1' || c > '9' {
			n, i = n+1, i+1
			continue
		}
		length, digits := 0, i
		for ; digits < len(symbol) && length < maxMangled && symbol[digits] >= '0' &&
			symbol[digits] <= '9'; digits++ {
			length = 10*length + int(symbol[digits]-'0')
		}
		if before := symbol[i-1]; strings.IndexByte("ASTCDLUphvn_", before) >= 0 ||
			i > 1 && symbol[i-2] == 'L' || digits < len(symbol) && symbol[digits] == '_' {
			length = 0 // a number that is no name's length
		}
		n, i = n+digits-i, digits+length
	}
	return n
}

// pieces returns the number of pieces that a tree is written from.
func pieces(tree demangle.AST) int {
	known := map[demangle.AST]int{}
	var count func(demangle.AST) int
	count = func(a demangle.AST) int {
		if n, ok := known[a]; ok {
			return n
		}
		known[a] = maxPieces + 1 // if it is in itself
		n := 1
		if p, ok := a.(*demangle.TemplateParam); ok && p.Template != nil &&
			p.Index < len(p.Template.Args) {
			n += count(p.Template.Args[p.Index])
		}
		a.Traverse(func(part demangle.AST) bool {
			if part == a {
				return true
			}
			n = min(n+count(part), maxPieces+1)
			return false
		})
		known[a] = n
		return n
	}
	return count(tree)
}
