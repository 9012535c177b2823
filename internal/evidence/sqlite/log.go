package sqlite

import (
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// rowLog is the writer's side of the log over the rows. It goes on from the last
// checkpoint, and is read again when another process may have written.
type rowLog struct {
	key    ledger.Key
	other  func(note []byte) error // is told that another key signed so far; its error ends the writing
	origin string
	tree   *ledger.Tree
	head   int64 // size of the newest checkpoint in the table, none if < 0
	hour   int64 // hour of that checkpoint
}

const (
	// leavesBytes is about how many bytes of leaves one row holds: several such
	// rows share a page.
	leavesBytes = 1900
	originBytes = 16
)

var insertLeaves = insertInto("leaves", "first, data", "")

// loadLog reads where the log ends. A store that has none begins one.
func (c *connection) loadLog(now int64, random io.Reader) error {
	var size, made int64
	var text string
	var peaks []byte
	err := c.row("SELECT size, note, peaks, made FROM checkpoints ORDER BY size DESC LIMIT 1", nil, &size, &text, &peaks, &made)
	if errors.Is(err, sql.ErrNoRows) {
		return c.beginLog(now, random)
	}
	if err != nil {
		return err
	}
	keys, err := ledger.Verifiers([]string{c.log.key.Verifier})
	if err != nil {
		return err
	}
	head, err := ledger.OpenCheckpoint([]byte(text), keys)
	if err != nil && !errors.Is(err, ledger.ErrUnsigned) {
		return fmt.Errorf("its newest checkpoint is damaged: %w; `otelcol-agent verify` says what else is", err)
	}
	unsigned := err != nil
	if c.log.tree, err = ledger.NewTree(size, peaks); err != nil {
		return fmt.Errorf("its newest checkpoint is damaged: %w; `otelcol-agent verify` says what else is", err)
	}
	var beyond bool
	if err := c.row("SELECT EXISTS (SELECT 1 FROM leaves WHERE first >= ?)", []any{size}, &beyond); err != nil {
		return err
	}
	if beyond {
		return errors.New("its log goes on behind the newest checkpoint, which no collector does; `otelcol-agent verify` says where, keep the file and name another")
	}
	c.log.origin, c.log.head, c.log.hour = head.Origin, size, hourOf(made)
	if unsigned {
		if err := c.log.other([]byte(text)); err != nil {
			return err
		}
		c.log.hour = -1 // the last checkpoint of the other key stays
		return c.logEntry(ledger.Entry{What: ledger.NewKey, Key: c.log.key.Verifier}, now)
	}
	return nil
}

func (c *connection) beginLog(now int64, random io.Reader) error {
	var name [originBytes]byte
	if _, err := io.ReadFull(random, name[:]); err != nil {
		return err
	}
	var before int64
	err := c.row("SELECT (SELECT count(*) FROM spans) + (SELECT count(*) FROM events) + (SELECT count(*) FROM quarantine)", nil, &before)
	if err != nil {
		return err
	}
	c.log.origin, c.log.tree, c.log.head = ledger.KeyName+"/"+hex.EncodeToString(name[:]), &ledger.Tree{}, -1
	return c.logEntry(ledger.Entry{What: ledger.Begun, Origin: c.log.origin, Key: c.log.key.Verifier, Before: before}, now)
}

// logEntry records what the store does to itself.
func (c *connection) logEntry(e ledger.Entry, now int64) error {
	text, digest, err := e.Encode()
	if err != nil {
		return err
	}
	number := c.log.tree.Size
	if _, err := c.exec("INSERT INTO log_entries (leaf, made, body) VALUES (?, ?, ?)", number, orNull(now), text); err != nil {
		return err
	}
	return c.appendLeaves([]ledger.Leaf{{Kind: ledger.Note, Age: now, Instead: ledger.None, Content: digest}})
}

// appendLeaves writes leaves behind those that are there.
func (c *connection) appendLeaves(leaves []ledger.Leaf) error {
	var flat []any
	first, from, buf := c.log.tree.Size, 0, make([]byte, 0, len(leaves)*72)
	for i := range leaves {
		at := len(buf)
		buf = leaves[i].Append(buf)
		c.log.tree.Add(buf[at:])
		if len(buf)-from >= leavesBytes || i == len(leaves)-1 {
			flat = append(flat, first, buf[from:len(buf):len(buf)])
			first, from = c.log.tree.Size, len(buf)
		}
	}
	return c.insert(insertLeaves, flat)
}

// sign writes the checkpoint of everything that this transaction recorded. The
// last one of an hour stays.
func (c *connection) sign(now int64) error {
	if c.log.tree.Size == c.log.head {
		return nil
	}
	point := ledger.Checkpoint{Origin: c.log.origin, Size: c.log.tree.Size, Root: c.log.tree.Root()}
	text, err := point.Sign(c.log.key)
	if err != nil {
		return err
	}
	statement, args := "INSERT INTO checkpoints (size, note, peaks, made) VALUES (?, ?, ?, ?)", []any{point.Size, string(text), c.log.tree.Peaks(), now}
	if c.log.head >= 0 && c.log.hour == hourOf(now) {
		statement, args = "UPDATE checkpoints SET size = ?, note = ?, peaks = ?, made = ? WHERE size = ?", append(args, c.log.head)
	}
	if _, err := c.exec(statement, args...); err != nil {
		return err
	}
	c.log.head, c.log.hour = point.Size, hourOf(now)
	return nil
}

func hourOf(nanos int64) int64 { return nanos / int64(time.Hour) }
