package command

import (
	"io"

	"github.com/spf13/cobra"
)

// helpPage prints the help of commands, and keeps the errors that cobra drops.
type helpPage struct {
	out io.Writer
	err error
}

// take directs the help of cmd and its subcommands to the page.
func (h *helpPage) take(cmd *cobra.Command) {
	print := cmd.HelpFunc()
	cmd.SetOut(h)
	cmd.SetHelpFunc(func(asked *cobra.Command, args []string) {
		// "ebb frobnicate --help" asks the parent, with the word left over.
		if rest := asked.Flags().Args(); asked.HasSubCommands() && len(rest) > 0 {
			h.err = unknownCommand(asked, rest[0])
			return
		}
		print(asked, args)
	})
}

// Write keeps the first error, and writes nothing after it.
func (h *helpPage) Write(text []byte) (n int, err error) {
	if h.err == nil {
		n, h.err = h.out.Write(text)
	}
	return n, h.err
}
