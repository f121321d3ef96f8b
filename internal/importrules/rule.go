package importrules

// Module is the path that the paths of Rules are relative to.
const Module = "github.com/ebb-energy/ebb"

// Rule says what one package may import besides the standard library.
type Rule struct {
	Package string   // relative to the module
	May     []string // packages of the module
	Extern  []string // other modules' packages, by prefix
	Pure    bool     // see impure, impureDirect and forbidden
	Why     string
}
