package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/journal"
)

const (
	backlogBytes = 4 * journal.MaxLine // of lines that wait for a slow disk
	backlogWait  = 5 * time.Second     // for them when the command has ended
)

// endedError is the exit code of a command that was listened to.
type endedError struct{ code int }

func (e endedError) Error() string { return fmt.Sprintf("the command ended with %d", e.code) }

// exitCode is the exit code of a process, that of one which a signal ended as shells
// tell it.
func exitCode(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.ExitCode()
}

// tap runs a command between two streams, which do not wait for the journal. One that
// cannot be written is told once, and the command goes on.
func (w journalWriter) tap(ctx context.Context, command []string, in io.Reader, out, hints io.Writer) error {
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	run.Stderr = hints
	run.Cancel = func() error { return run.Process.Signal(syscall.SIGTERM) }
	run.WaitDelay = 5 * time.Second
	var once sync.Once
	tell := func(err error) {
		if err != nil {
			once.Do(func() { fmt.Fprintf(hints, "%s: the journal is incomplete: %v\n", name, err) })
		}
	}
	backlog := journal.Backlog{MaxBytes: backlogBytes, Write: func(said []byte, at time.Time) { tell(w.append(said, at)) }}
	defer func() {
		if !backlog.Wait(time.After(backlogWait)) {
			tell(errors.New("the disk does not take the last lines"))
		}
	}()
	keep := func(said []byte) {
		switch {
		case said == nil:
			tell(aboutLine(journal.ErrTooLong))
		case !backlog.Add(said, w.now()):
			tell(errors.New("the disk is too slow"))
		}
	}
	stdin, err := run.StdinPipe()
	if err != nil {
		return err
	}
	run.Stdout = &journal.Tap{To: out, Keep: keep}
	if err := run.Start(); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(&journal.Tap{To: stdin, Keep: keep}, in) // the end of either side ends it
		_ = stdin.Close()
	}()
	err = run.Wait()
	if ctx.Err() != nil && run.ProcessState.Success() {
		return nil // it was asked to end, and did
	}
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		return err
	}
	return endedError{exitCode(ended.ProcessState)}
}
