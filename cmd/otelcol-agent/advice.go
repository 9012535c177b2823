package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// stages are what the collector puts before an error of the configuration, one around
// the other. They name its own steps, nothing that a reader can act on.
var stages = []string{
	"failed to get config: ",
	"cannot resolve the configuration: ",
	"cannot retrieve the configuration: ",
	"cannot convert the confmap.Conf: ",
	"cannot unmarshal the configuration: ",
}

// plainError is an error as it is told: without the stages.
type plainError struct{ error }

func (e plainError) Unwrap() error { return e.error }

func (e plainError) Error() string {
	text := e.error.Error()
	for again := true; again; {
		again = false
		for _, stage := range stages {
			if rest, ok := strings.CutPrefix(text, stage); ok {
				text, again = rest, true
			}
		}
	}
	return text
}

// heldState is how the error of a start ends whose file of state another process has
// open; the storage extension has no better word for it.
const heldState = "storage: timeout"

// told is the error of a start as a person reads it, with what to do where that is known.
func told(err error) error {
	switch {
	case err == nil:
		return nil
	case strings.HasSuffix(err.Error(), heldState):
		return fmt.Errorf("%w; another process has the state beside the store open, perhaps another %s: end it, or give this one a store of its own: %s=FILE", err, name, storeVariable)
	}
	return plain(err)
}

func plain(err error) error {
	if err == nil {
		return nil
	}
	return plainError{err}
}

// plainFlags gives the collector's flags a help that fits a terminal: it would print every
// feature gate that there is, and an empty list.
func plainFlags(cmd *cobra.Command) {
	for _, name := range []string{"config", "feature-gates"} {
		if f := cmd.Flags().Lookup(name); f != nil {
			f.DefValue = ""
		}
	}
	if f := cmd.Flags().Lookup("config"); f != nil {
		f.Usage = "configuration: a `FILE`, preset:NAME or yaml:KEY: VALUE; repeat it to merge one over the other"
	}
	if f := cmd.Flags().Lookup("feature-gates"); f != nil {
		f.Usage = "comma-separated `GATES` to turn on, or off with a minus sign; the command featuregate lists them"
	}
	if f := cmd.Flags().Lookup("set"); f != nil {
		f.Usage = "one `KEY=VALUE` over the configuration, as --set=extensions::review::endpoint=127.0.0.1:14380"
	}
}
