package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// calmSearchesEnv is the number of searches of each kind in TestCalmDecides.
const calmSearchesEnv = "CALM_SEARCHES"

// TestCalmDecides: beside whatever else runs here, ebb calm comes to a verdict on three of Debian's
// programs in eight of ten searches, and calls nine of ten disturbed where each program does 5 %
// more work under observation. The programs do the same work in each run.
func TestCalmDecides(t *testing.T) {
	searches, err := strconv.Atoi(os.Getenv(calmSearchesEnv))
	if err != nil {
		t.Skip("takes some hours: make soak")
	}
	needRoot(t)
	nothingLeft(t)
	dir := t.TempDir()
	for name, of := range map[string]func(work float64) string{
		"xz":      func(work float64) string { return "xz -T1 -6 -c " + words(t, dir, 1.5e6*work) },
		"openssl": func(work float64) string { return derivation(work) },
		"perl": func(work float64) string {
			return fmt.Sprintf("perl -e 'for my $i (1..%d) { $h{$i %% 1000} .= $i; "+
				"$h{$i %% 1000} = q() if $i %% 7 == 0 }'", int(3e6*work))
		},
	} {
		plain, more := of(1), of(1.05) // before the searches, which read what these write
		for _, planted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/planted=%t", name, planted), func(t *testing.T) {
				t.Parallel()
				sampled := plain
				if planted {
					sampled = more
				}
				// The second word of the parent's command line is run or calm.
				script := fmt.Sprintf(`if [ "$(tr '\0' '\n' </proc/$PPID/cmdline | sed -n 2p)" = run ]
then exec %s
else exec %s
fi`, sampled, plain)
				got := map[int]int{}
				for range searches {
					args := []string{"calm", "--quiet", "--batches", "0"}
					if planted {
						args = append(args, "--periods", "16")
					}
					c := command(t, append(args, "--", "sh", "-c", script)...)
					// --at-most bounds it, beyond what a command may take that hangs.
					res := finish(t, &exec.Cmd{Path: c.Path, Args: c.Args,
						SysProcAttr: c.SysProcAttr})
					if !judged(res) {
						t.Fatalf("status %d: %s%s", res.code, res.stdout, res.stderr)
					}
					got[res.code]++
					t.Logf("status %d\n%s", res.code, res.stdout)
				}
				t.Logf("of %d searches %d say calm, %d disturbed, %d do not know", searches, got[0],
					got[3], got[4])
				wrong := got[3] // each verdict that an undisturbed program is disturbed
				if planted {
					wrong = got[0]
				}
				if planted && 10*got[3] < 9*searches || 10*(wrong+got[4]) > 2*searches {
					t.Errorf("of %d searches %d say calm, %d disturbed, %d do not know", searches,
						got[0], got[3], got[4])
				}
			})
		}
	}
}

// words makes a file of so many bytes of words, and returns its name.
func words(t *testing.T, dir string, size float64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(12, 35))
	var b strings.Builder
	for b.Len() < int(size) {
		fmt.Fprintf(&b, "%x ", random.IntN(5000)*random.IntN(5000))
	}
	path := filepath.Join(dir, fmt.Sprintf("words-%d", int(size)))
	if err := os.WriteFile(path, []byte(b.String())[:int(size)], 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// derivation is a command that derives a key in so many rounds.
func derivation(work float64) string {
	return fmt.Sprintf("openssl kdf -keylen 32 -kdfopt digest:SHA512 -kdfopt pass:word "+
		"-kdfopt salt:salt -kdfopt iter:%d PBKDF2", int(6e5*work))
}
