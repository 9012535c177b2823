package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/exporter/evidencestore"
)

// retention adds the flags that say how long a server keeps rows by itself.
func (f *storeFlags) retention(cmd *cobra.Command) {
	kept := evidencestore.DefaultRetention()
	cmd.Flags().TextVar(&f.evidence, "retention-evidence", kept.Evidence, "how long a ClickHouse server keeps spans and facts, as 400d or 9600h; 0s is for ever")
	cmd.Flags().TextVar(&f.records, "retention-records", kept.Records, "how long a ClickHouse server keeps log records, likewise")
}

func (f *storeFlags) checkRetention() error {
	for name, kept := range map[string]evidencestore.Age{"retention-evidence": f.evidence, "retention-records": f.records} {
		if d := time.Duration(kept); d < 0 || d > 0 && d < evidencestore.ShortestRetention {
			return fmt.Errorf("--%s is 0s (for ever) or at least %s, found %s", name, evidencestore.ShortestRetention, d)
		}
	}
	return nil
}
