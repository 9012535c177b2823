// Package tools pins the build tools as tool directives of its go.mod.
package tools
