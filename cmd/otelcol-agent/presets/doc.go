// Package presets holds the configurations that are part of the binary and the
// confmap provider that serves them as preset:NAME.
//
// Words:
//
//   - preset: a whole configuration, one YAML file in this folder
//   - overlay: a file merged over a preset when an environment variable asks for
//     it; its name is the preset's name, a plus sign and what it adds
//   - upstream: the gateway that an agent's collector forwards to
//
// A preset is plain Collector configuration: copied to a file it works the same
// with --config file. Only the choice of overlays and the refusals live in Go.
// The package does not read the environment or files by itself: both come in as
// functions. It does not check a configuration; the components do.
package presets
