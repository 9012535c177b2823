package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"sync"

	"github.com/ClickHouse/ch-go/compress"
	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/engine"
)

// ServeNative speaks ClickHouse's native protocol to all who connect, until the
// listener is closed.
func (s *Server) ServeNative(l net.Listener) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		wg.Go(func() {
			defer conn.Close()
			n := &native{server: s, conn: conn, reader: chproto.NewReader(conn)}
			if err := n.serve(); err != nil && !errors.Is(err, io.EOF) && s.Log != nil {
				s.Log("native: " + err.Error())
			}
		})
	}
}

// native is one connection.
type native struct {
	server   *Server
	conn     net.Conn
	reader   *chproto.Reader
	out      chproto.Buffer
	revision int // what both sides know
	user     User
	database string
}

func (n *native) flush() error {
	_, err := n.conn.Write(n.out.Buf)
	n.out.Reset()
	return err
}

func (n *native) serve() error {
	if err := n.hello(); err != nil {
		return err
	}
	for {
		packet, err := n.packet()
		if err != nil {
			return err
		}
		switch packet {
		case chproto.ClientCodePing:
			chproto.ServerCodePong.Encode(&n.out)
			err = n.flush()
		case chproto.ClientCodeQuery:
			err = n.query()
		case clientCodeTablesStatus:
			err = n.tablesStatus()
		case chproto.ClientCodeCancel:
			return nil // the driver closes after it
		default:
			err = fmt.Errorf("unexpected packet %d", packet)
		}
		if err != nil {
			return err
		}
	}
}

// What another server asks before it sends queries for its Distributed tables, and
// what it is answered with.
const (
	clientCodeTablesStatus chproto.ClientCode = 5
	clientCodeScalar       chproto.ClientCode = 7
	serverCodeTablesStatus chproto.ServerCode = 9
)

// tablesStatus says that tables are there and not replicated.
func (n *native) tablesStatus() error {
	count, err := n.reader.UVarInt()
	if err != nil {
		return err
	}
	serverCodeTablesStatus.Encode(&n.out)
	n.out.PutUVarInt(count)
	for range count {
		for range 2 { // database and table
			name, err := n.reader.Str()
			if err != nil {
				return err
			}
			n.out.PutString(name)
		}
		n.out.PutBool(false)
	}
	return n.flush()
}

func (n *native) packet() (chproto.ClientCode, error) {
	code, err := n.reader.UVarInt()
	return chproto.ClientCode(code), err
}

// hello agrees on a revision of the protocol and finds out who asks.
func (n *native) hello() error {
	packet, err := n.packet()
	if err != nil {
		return err
	}
	if packet != chproto.ClientCodeHello {
		return fmt.Errorf("packet %d in place of a hello", packet)
	}
	var client chproto.ClientHello
	if err := client.Decode(n.reader); err != nil {
		return err
	}
	user, ok := n.server.known(client.User, client.Password)
	if !ok {
		return errors.Join(n.refuse(authenticationFailed()), n.flush())
	}
	n.user, n.database, n.revision = user, client.Database, min(client.ProtocolVersion, chproto.Version)
	answer := chproto.ServerHello{Name: "ClickHouse", DisplayName: "test server", Major: 26, Minor: 7, Patch: 3, Revision: chproto.Version, Timezone: "UTC"}
	answer.EncodeAware(&n.out, n.revision)
	if err := n.flush(); err != nil {
		return err
	}
	if chproto.FeatureAddendum.In(n.revision) {
		_, err = n.reader.Str() // of quotas
	}
	return err
}

// refuse answers with an exception; the connection goes on.
func (n *native) refuse(err error) error {
	e := asEngineError(err)
	if n.server.Log != nil {
		n.server.Log(e.Message)
	}
	chproto.ServerCodeException.Encode(&n.out)
	x := chproto.Exception{Code: chproto.Error(e.Code), Name: "DB::Exception", Message: e.Message}
	x.EncodeAware(&n.out, n.revision)
	return nil
}

// takesData is an insert whose rows come after it: of a client in FORMAT Native, of
// another server as VALUES.
var takesData = regexp.MustCompile(`(?is)^(\s*INSERT\s+INTO\s+([^(]+?)\s*(\([^()]*\))?)\s+(?:FORMAT\s+Native|VALUES)\s*$`)

func (n *native) query() error {
	q, err := n.readQuery()
	if err != nil {
		return err
	}
	statement := engine.Statement{Database: n.database, Query: q.body, Settings: q.settings}
	// External tables, of which there are none.
	if b, err := n.block(q.compressed); err != nil || b != nil {
		return errors.Join(err, errors.New("external tables are not taken here"))
	}
	err = n.answer(statement, q)
	var refused *engine.Error
	if errors.As(err, &refused) {
		err = n.refuse(refused)
	}
	if err != nil {
		return err
	}
	return n.flush()
}

// answer writes what a query is answered with. An *engine.Error is for the client.
func (n *native) answer(s engine.Statement, q nativeQuery) error {
	insert := takesData.MatchString(s.Query)
	if q.stage == stageMergeable {
		return &engine.Error{Code: codeNotImplemented, Message: fmt.Sprintf("Code: %d. DB::Exception: this test server computes no states of aggregates for another. (NOT_IMPLEMENTED)", codeNotImplemented)}
	}
	if q.parameters {
		return &engine.Error{Code: codeBadArguments, Message: fmt.Sprintf("Code: %d. DB::Exception: this test server takes no query parameters. (BAD_ARGUMENTS)", codeBadArguments)}
	}
	if n.user.ReadOnly {
		if err := mayRead(s); err != nil {
			return err
		}
	}
	if insert {
		if err := n.takeData(&s, q.compressed); err != nil || len(s.Data) == 0 {
			return err
		}
	}
	out, err := n.server.Engine.Run(context.Background(), s)
	if err != nil {
		return asEngineError(err)
	}
	if err := n.result(s, out, q.compressed); err != nil {
		return err
	}
	chproto.ServerCodeEndOfStream.Encode(&n.out)
	return nil
}

// result writes a header, the blocks, and what there was to do.
func (n *native) result(s engine.Statement, out []byte, compressed bool) error {
	if !reads.MatchString(s.Query) {
		return nil
	}
	var rows int
	r := chproto.NewReader(bytes.NewReader(out))
	for first := true; ; first = false {
		var b proto.Block
		if err := b.Decode(r, 0); errors.Is(err, io.EOF) {
			if !first {
				break
			}
			header, err := n.header(s, s.Query)
			if err != nil {
				return err
			}
			return n.data(header, compressed)
		} else if err != nil {
			return err
		}
		if first {
			header, err := headerOf(&b)
			if err == nil {
				err = n.data(header, compressed)
			}
			if err != nil {
				return err
			}
		}
		rows += b.Rows()
		if b.Rows() > 0 {
			if err := n.data(&b, compressed); err != nil {
				return err
			}
		}
	}
	chproto.Profile{Rows: uint64(rows), Blocks: 1, Bytes: uint64(len(out))}.EncodeAware(&n.out, n.revision)
	chproto.ServerCodeProgress.Encode(&n.out)
	chproto.Progress{Rows: uint64(rows), Bytes: uint64(len(out))}.EncodeAware(&n.out, n.revision)
	return nil
}

// data writes one block.
func (n *native) data(b *proto.Block, compressed bool) error {
	chproto.ServerCodeData.Encode(&n.out)
	n.out.PutString("") // of no temporary table
	from := len(n.out.Buf)
	if b.Rows() == 0 {
		n.empty(b)
	} else if err := b.Encode(&n.out, uint64(n.revision)); err != nil {
		return err
	}
	if !compressed {
		return nil
	}
	c := compress.NewWriter(0, compress.LZ4)
	if err := c.Compress(n.out.Buf[from:]); err != nil {
		return err
	}
	n.out.Buf = append(n.out.Buf[:from], c.Data...)
	return nil
}

// empty writes a block without rows, whose columns have names and types and nothing
// else: the driver's own encoder adds what its decoder does not expect.
func (n *native) empty(b *proto.Block) {
	if chproto.FeatureBlockInfo.In(n.revision) {
		chproto.BlockInfo{BucketNum: -1}.Encode(&n.out)
	}
	n.out.PutInt(len(b.Columns))
	n.out.PutInt(0)
	for _, c := range b.Columns {
		n.out.PutString(c.Name())
		n.out.PutString(string(c.Type()))
		if chproto.FeatureCustomSerialization.In(n.revision) {
			n.out.PutBool(false) // no serialization of its own
		}
	}
}

// block reads one block that the client sends, nil for the empty one at the end.
func (n *native) block(compressed bool) (*proto.Block, error) {
	packet, err := n.packet()
	if err != nil {
		return nil, err
	}
	if packet != chproto.ClientCodeData && packet != clientCodeScalar {
		return nil, fmt.Errorf("packet %d in place of data", packet)
	}
	var table chproto.ClientData
	if err := table.DecodeAware(n.reader, n.revision); err != nil {
		return nil, err
	}
	if compressed {
		n.reader.EnableCompression()
		defer n.reader.DisableCompression()
	}
	var b proto.Block
	if err := b.Decode(n.reader, uint64(n.revision)); err != nil {
		return nil, err
	}
	if packet == clientCodeScalar { // which the query says too
		n.reader.DisableCompression()
		return n.block(compressed)
	}
	if len(b.Columns) == 0 {
		return nil, nil
	}
	return &b, nil
}

// takeData tells the client the columns of an insert and reads what it sends.
func (n *native) takeData(s *engine.Statement, compressed bool) error {
	m := takesData.FindStringSubmatch(s.Query)
	s.Query = m[1] + " FORMAT Native"
	columns := "*"
	if m[3] != "" {
		columns = m[3][1 : len(m[3])-1]
	}
	header, err := n.header(*s, "SELECT "+columns+" FROM "+m[2])
	if err != nil {
		return err
	}
	if err := errors.Join(n.data(header, compressed), n.flush()); err != nil {
		return err
	}
	var data chproto.Buffer
	for {
		b, err := n.block(compressed)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		if err := b.Encode(&data, 0); err != nil {
			return err
		}
	}
	if s.Data = data.Buf; len(s.Data) == 0 {
		chproto.ServerCodeEndOfStream.Encode(&n.out)
	}
	return nil
}

// header is an empty block with the columns of a question.
func (n *native) header(s engine.Statement, question string) (*proto.Block, error) {
	out, err := n.server.Engine.Run(context.Background(), engine.Statement{Database: s.Database, Query: "DESCRIBE (" + question + ")"})
	if err != nil {
		return nil, asEngineError(err)
	}
	var b proto.Block
	if err := b.Decode(chproto.NewReader(bytes.NewReader(out)), 0); err != nil {
		return nil, err
	}
	header := proto.NewBlock()
	for i := range b.Rows() {
		name, _ := b.Columns[0].Row(i, false).(string)
		kind, _ := b.Columns[1].Row(i, false).(string)
		if err := header.AddColumn(name, column.Type(kind)); err != nil {
			return nil, err
		}
	}
	return header, nil
}

func headerOf(b *proto.Block) (*proto.Block, error) {
	header := proto.NewBlock()
	for _, c := range b.Columns {
		if err := header.AddColumn(c.Name(), c.Type()); err != nil {
			return nil, err
		}
	}
	return header, nil
}
