package devtest

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestManualEscapes(t *testing.T) {
	c := &cobra.Command{Use: "x [flags]", Short: "do x",
		Long: ".dots 'and \\ -x\n'quote\n\n  a\n  b\nc"}
	c.Flags().String("f", "", "a `FILE` - or\n.two")
	got := string(manual(c, "1.2.3"))
	for _, want := range []string{
		".TH X 1 \"\" \"ebb 1.2.3\" \"ebb\"\n",
		"\n\\&.dots 'and \\e \\-x\n\\&'quote\n.PP\n.nf\n  a\n  b\n.fi\nc\n",
		".TP\n\\fB\\-\\-f\\fR \\fIFILE\\fR\na FILE \\- or\n\\&.two\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}
