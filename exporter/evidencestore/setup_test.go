package evidencestore

import "os"

// The generated lifecycle tests start the exporter with its default config:
// keep its store out of the data folder of whoever runs them.
func init() {
	dir, err := os.MkdirTemp("", "evidencestore")
	if err == nil {
		err = os.Setenv("XDG_DATA_HOME", dir)
	}
	if err != nil {
		panic(err)
	}
}
