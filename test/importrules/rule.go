package importrules

// Module is the path that the paths of Rules are relative to.
const Module = "github.com/ebb-energy/ebb"

// Rule says what one package may import besides the standard library.
type Rule struct {
	Package string   // relative to the module
	May     []string // packages of the module
	Extern  []string // other modules' packages, by prefix
	Pure    bool     // see impure, impureDirect and forbidden
	// Single says that the package starts no goroutine, and neither does any package that it may
	// import, although it is not pure, as where it makes a page with html/template. A pure package
	// starts none.
	Single bool
	Why    string
}

// Alone reports whether a package starts no goroutine: the race detector has nothing to find in it.
func (r Rule) Alone() bool { return r.Pure || r.Single }
