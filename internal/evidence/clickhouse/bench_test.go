package clickhouse

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/compress"
	chproto "github.com/ClickHouse/ch-go/proto"
	driver "github.com/ClickHouse/clickhouse-go/v2"
	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// nothing is a server that has nothing and takes everything.
type nothing struct {
	bytes    atomic.Int64
	requests atomic.Int64
	fail     func(query string) *http.Response
}

func (n *nothing) RoundTrip(r *http.Request) (*http.Response, error) {
	n.requests.Add(1)
	query := r.URL.Query().Get("query")
	var body []byte
	if query == "" {
		body, _ = io.ReadAll(r.Body)
		query = string(body)
	} else {
		size, _ := io.Copy(io.Discard, r.Body)
		n.bytes.Add(size)
	}
	if n.fail != nil {
		if res := n.fail(query); res != nil {
			return res, nil
		}
	}
	var out []byte
	if strings.HasPrefix(query, "SELECT displayName()") {
		b := proto.NewBlock()
		for _, c := range [][2]string{{"displayName()", "String"}, {"version()", "String"}, {"revision()", "UInt32"}, {"timezone()", "String"}} {
			_ = b.AddColumn(c[0], chcolumn.Type(c[1]))
		}
		_ = b.Append("nothing", "26.7.3.1", uint32(0), "UTC")
		var buf chproto.Buffer
		_ = b.Encode(&buf, driver.ClientTCPProtocolVersion)
		c := compress.NewWriter(0, compress.LZ4)
		_ = c.Compress(buf.Buf)
		out = c.Data
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(out)), ContentLength: int64(len(out)), Header: http.Header{}, Request: r}, nil
}

func (n *nothing) settings() Settings {
	return Settings{DSN: "http://nowhere:8123/evidence", CreateSchema: true, options: func(o *driver.Options) {
		o.TransportFunc = func(*http.Transport) (http.RoundTripper, error) { return n, nil }
	}}
}

// agentSpans makes spans with twelve attributes, as a mapped agent has them, 16
// to a trace.
func agentSpans(batch, n int) evidence.Batch {
	var b evidence.Batch
	resource := evidence.Attrs{semconv.ServiceName: "coder", semconv.ServiceVersion: "1.2.3", "host.name": "build-7", "os.type": "linux", semconv.TenantID: "acme"}
	base := int64(1_790_000_000_000_000_000)
	for i := range n {
		number := uint64(batch*n + i)
		var id evidence.StepID
		binary.BigEndian.PutUint64(id.Trace[:], (number/16)*0x9e3779b97f4a7c15)
		binary.BigEndian.PutUint64(id.Trace[8:], (number/16+1)*0xc2b2ae3d27d4eb4f)
		binary.BigEndian.PutUint64(id.Span[:], (number+1)*0x9e3779b97f4a7c15)
		s := evidence.Span{
			Tenant: "acme", ID: id, Name: "execute_tool Bash", Kind: "internal", Start: base + int64(number)*1_000_000, End: base + int64(number)*1_000_000 + 7_654_321,
			Status: evidence.StatusUnset, Service: "coder", ServiceVersion: "1.2.3", Scope: "agent", ScopeVersion: "1", Resource: resource,
			Attrs: evidence.Attrs{
				semconv.GenAIOperationName: "execute_tool", semconv.GenAIAgentName: "coder", semconv.GenAIToolName: "Bash",
				semconv.GenAIToolCallID: fmt.Sprintf("toolu_%016x", number*0x9e3779b97f4a7c15), semconv.GenAIConversationID: fmt.Sprintf("conversation-%d", number/64),
				semconv.AppTaskID: fmt.Sprintf("task-%d", number/64), semconv.AppToolEffectClass: "read",
				semconv.GenAIUsageInputTokens: int64(number % 4000), semconv.GenAIUsageOutputTokens: int64(number % 300),
				semconv.GenAIRequestModel: "some-model-5", "made.up.flag": true, "made.up.duration": float64(number%1000) / 7,
			},
		}
		if i%16 != 0 {
			s.Parent = b.Spans[i-1].ID.Span
		}
		b.Spans = append(b.Spans, s)
	}
	return b
}

// BenchmarkClientSide is what a row costs this process: nobody is there to take
// it. One op is one row.
func BenchmarkClientSide(b *testing.B) { clientSide(b, "") }

// BenchmarkClientSideLogged is the same with the signed log over the rows.
func BenchmarkClientSideLogged(b *testing.B) { clientSide(b, filepath.Join(b.TempDir(), "key")) }

func clientSide(b *testing.B, keyFile string) {
	n := &nothing{}
	s := n.settings()
	s.Inserts, s.KeyFile = 1, keyFile
	w, err := Open(context.Background(), s)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	const size = 8192
	batches := make([]evidence.Batch, 4)
	for i := range batches {
		batches[i] = agentSpans(i, size)
	}
	b.ReportAllocs()
	b.ResetTimer()
	from := processorTime()
	for i := 0; i < b.N; i += size {
		if w.log != nil { // else rows that come again have leaves already
			w.log.settled.forget()
		}
		if _, err := w.Write(context.Background(), batches[i/size%4]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/(processorTime()-from).Seconds(), "rows/cpu-s")
}

// BenchmarkBlock is what one row of the table spans costs on its way from our
// columns to the bytes of either protocol, before they are compressed.
func BenchmarkBlock(b *testing.B) {
	known, err := migrations(schemaFiles)
	if err != nil {
		b.Fatal(err)
	}
	all, err := objects(known, layout{database: "d"})
	if err != nil {
		b.Fatal(err)
	}
	var columns []driver.ColumnNameAndType
	for _, c := range all[0].columns {
		if !c.computed {
			columns = append(columns, driver.ColumnNameAndType{Name: c.name, Type: c.kind})
		}
	}
	const size = 8192
	var sh sheet
	sh.maxRow = 1 << 20
	sh.take(agentSpans(0, size))
	r := newRows([]*part{&sh.part}, 0, 0)
	for name, send := range map[string]func(bl *block){
		"http": func(bl *block) {
			var f frames
			if err := bl.encode(&f); err != nil {
				b.Fatal(err)
			}
		},
		"native": func(bl *block) {
			out := proto.NewBlock()
			for i, v := range bl.columns {
				_ = out.AddColumn(v.name, chcolumn.Type(columns[i].Type))
				if err := v.copyTo(out.Columns[i]); err != nil {
					b.Fatal(err)
				}
			}
			var buf chproto.Buffer
			if err := out.Encode(&buf, driver.ClientTCPProtocolVersion); err != nil {
				b.Fatal(err)
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			bl, err := newBlock(columns)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			from := processorTime()
			for i := 0; i < b.N; i += size {
				bl.reset()
				a := &appender{block: bl, promoted: true}
				for _, row := range r.spans {
					a.span(row, r.ver)
					if err := a.row(); err != nil {
						b.Fatal(err)
					}
				}
				send(bl)
			}
			b.ReportMetric((processorTime()-from).Seconds()*1e9/float64(b.N), "cpu-ns/op")
		})
	}
}

// processorTime is what this process has used, of the kernel's time too: other
// work on the machine does not count.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
