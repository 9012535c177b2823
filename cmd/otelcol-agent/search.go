package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// searchCommand says what a text is the name of.
func searchCommand() *cobra.Command {
	var dsn, tenant, format string
	cmd := &cobra.Command{
		Use:   "search TEXT",
		Short: "Say what a text names: " + review.Searched,
		Long: "Looks a whole text up as a task, a trace, a session, a tool call, an artifact's id or\n" +
			"hash, an effect's id or idempotency key, a receipt, a decision, an agent and a tool, and\n" +
			"prints the command that shows each. It ends with 1 if it names nothing. It works beside\n" +
			"a running collector.",
		Example: "  otelcol-agent search call_7f3a",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			reader, err := openReader(cmd.Context(), dsn)
			if err != nil {
				return err
			}
			defer reader.Close()
			found, err := review.Search(cmd.Context(), reader, tenantOf(cmd, tenant), args[0])
			if errors.Is(err, review.ErrQuery) {
				return wrongUsage(cmd, err)
			}
			if err != nil {
				return err
			}
			if format == "json" {
				err = listing.WriteJSON(cmd.OutOrStdout(), found)
			} else {
				err = found.WriteText(cmd.OutOrStdout(), name)
			}
			if err == nil && len(found.Hits) == 0 {
				err = fmt.Errorf("no %s is called that; a whole id or name is looked for, and `%s tasks` lists what is there", review.Searched, name)
			}
			return err
		},
	}
	addCommon(cmd, &dsn, &format)
	cmd.Flags().StringVar(&tenant, "tenant", "", "only this tenant (default all)")
	return cmd
}
