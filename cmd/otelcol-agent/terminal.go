package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// addCommon adds the flags that every command on a store has.
func addCommon(cmd *cobra.Command, dsn, format *string) {
	cmd.Flags().StringVar(dsn, "store", "", "store to read: a path, or sqlite:PATH (default $OTELCOL_AGENT_STORE, else the user's data folder)")
	cmd.Flags().StringVar(format, "format", "text", "text or json")
}

func checkFormat(cmd *cobra.Command, format string) error {
	if format == "text" || format == "json" {
		return nil
	}
	return wrongUsage(cmd, fmt.Errorf("format must be text or json, found %q", format))
}

// terminalWidth returns the columns of w, or 0 if w is no terminal.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// color reports whether escape sequences may be written to w: only to a
// terminal that understands them, and never when NO_COLOR is set.
func color(w io.Writer, getenv func(string) string) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}
