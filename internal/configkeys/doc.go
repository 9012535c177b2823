// Package configkeys finds keys of a component's configuration that do not exist where
// the collector's decoder would pass them over: in a struct that squashes one of the
// collector's own servers (confighttp), at every depth.
package configkeys
