package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

const storeUsage = "store to read: a path, sqlite:PATH, or a ClickHouse server as clickhouse://, http:// or https:// (default $OTELCOL_AGENT_STORE, else the user's data folder)"

// addCommon adds the flags that every command on a store has.
func addCommon(cmd *cobra.Command, dsn, format *string, formats ...string) {
	cmd.Flags().StringVar(dsn, "store", "", storeUsage)
	cmd.Flags().StringVar(format, "format", "text", oneOf(formats))
}

// tenantOf is the tenant of a command's flag, all if it is not given.
func tenantOf(cmd *cobra.Command, tenant string) evidence.Query {
	return evidence.Query{Tenant: tenant, AllTenants: !cmd.Flags().Changed("tenant")}
}

// oneOf names formats; without any they are text and json.
func oneOf(formats []string) string {
	if len(formats) == 0 {
		formats = []string{"text", "json"}
	}
	last := len(formats) - 1
	return strings.Join(formats[:last], ", ") + " or " + formats[last]
}

func checkFormat(cmd *cobra.Command, format string, formats ...string) error {
	if slices.Contains(formats, format) || len(formats) == 0 && (format == "text" || format == "json") {
		return nil
	}
	return wrongUsage(cmd, fmt.Errorf("format must be %s, found %q", oneOf(formats), format))
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
