// Package tailpolicy is the processor that keeps or drops whole runs.
//
// It is a shell: it takes time, locks and the next component's answers to package
// tail, which decides, and does and counts what that says. Pending runs are in memory
// and, with storage, in the log of package runlog.
package tailpolicy
