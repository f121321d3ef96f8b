package symbols

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// substitution returns a symbol's reference to a part of it that came before.
func substitution(n int) string {
	if n == 0 {
		return "S_"
	}
	return fmt.Sprintf("S%c_", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n-1])
}

// manglings are symbols that become much.
func manglings() []string {
	var doubled strings.Builder // of 168 bytes, what 120 MB become of; each two more double that
	doubled.WriteString("_ZZ1fIiEv1AIT_E")
	for i := range 16 {
		fmt.Fprintf(&doubled, "1BI%s%sE", substitution(2*i+3), substitution(2*i+3))
	}
	doubled.WriteString("E1x")
	casts := "i"
	for range 24 {
		casts = "N1acvT_I" + casts + "EE"
	}
	packs := "T_"
	for range 3 {
		packs = "DpPFT_" + packs + "E"
	}
	var written strings.Builder // what is written doubles
	written.WriteString("_ZZ1fIiEvPi")
	for i := range 30 {
		fmt.Fprintf(&written, "PF%s%sE", substitution(2*i%35), substitution(2*i%35))
	}
	written.WriteString("E1x")
	return []string{
		doubled.String(), "_Z1fI" + casts + "Evv", "_ZZ1fIJ" + strings.Repeat("i", 1000) + "EEv" +
			packs + "E1x", written.String(),
		"_ZZ1f" + strings.Repeat("P", 2<<20) + "iE1x", "_ZZ1f" +
			strings.Repeat("P", maxMangled-20) + "iE1x",
		"_R" + strings.Repeat("Nv", 1<<20) + "C1a1b", "_RIC1a" + strings.Repeat("TB4_B4_", 100) +
			"E",
	}
}

// TestHostileSymbols: what one symbol becomes is bounded, whatever it says.
func TestHostileSymbols(t *testing.T) {
	for _, s := range manglings() {
		devtest.BoundedMemory(t, 2*maxGrowth, func() { demangled(s) })
	}
}

// TestDemangled: symbols as compilers make them have their names, long ones of templates too.
func TestDemangled(t *testing.T) {
	for symbol, want := range map[string]string{
		"main": "main", "_ZNSt6vectorIiSaIiEE9push_backERKi": "std::vector::push_back",
		"_ZN1AcvT_IiEEv":            "A::operator int",
		"_ZNK4llvm5Value7getNameEv": "llvm::Value::getName",
		"_RNvNtCs1_5alloc3vec3new":  "alloc::vec::new",
		"_ZN4llvm23SmallVectorTemplateBaseINS_17OperandBundleDefTIPNS_5ValueEEELb0EE" +
			"18growAndEmplaceBackIJRA6_KcSt6vectorIS3_SaIS3_EEEEERS4_DpOT_": "" +
			"llvm::SmallVectorTemplateBase::growAndEmplaceBack",
		"_ZN4core3ptr13drop_in_place17h0123456789abcdefE": "core::ptr::drop_in_place",
		"_Znonsense": "_Znonsense", "": "",
	} {
		if got := demangled(symbol); got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}
