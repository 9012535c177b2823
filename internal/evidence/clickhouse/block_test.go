package clickhouse

import (
	"bytes"
	"math"
	"strings"
	"testing"

	chproto "github.com/ClickHouse/ch-go/proto"
	driver "github.com/ClickHouse/clickhouse-go/v2"
	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
	"github.com/stretchr/testify/require"
)

// kinds are all types that a column of the schema can have.
var kinds = []string{
	"String", "FixedString(8)", "Int64", "UInt64", "UInt32", "UInt8", "Bool", "Float64", "LowCardinality(String)", "Nullable(Int64)",
	"Nullable(Float64)", "Array(String)", "SimpleAggregateFunction(max, Int64)", "Map(LowCardinality(String), String)",
	"Map(LowCardinality(String), Int64)", "Map(LowCardinality(String), Array(String))",
}

func filled(t *testing.T, rows int) *block {
	t.Helper()
	var columns []driver.ColumnNameAndType
	for _, k := range kinds {
		columns = append(columns, driver.ColumnNameAndType{Name: strings.ToLower(k), Type: k})
	}
	b, err := newBlock(columns)
	require.NoError(t, err)
	for i := range rows {
		a := &appender{block: b}
		score := float64(i) / 7
		word := strings.Repeat("w", i%300) // more than one byte can number
		a.put("text\x00\xff", []byte("8 bytes!"), int64(-i), uint64(math.MaxUint64), uint32(i), uint8(i), i%2 == 0, score, word)
		if i%3 == 0 {
			a.put(nil, (*float64)(nil), []string{})
		} else {
			a.put(int64(i), &score, []string{word, ""})
		}
		a.put(int64(math.MinInt64))
		for n := range 3 {
			m := a.next()
			for range i % 3 {
				m.key.text("k" + word)
				switch n {
				case 0:
					m.item.text(word)
				case 1:
					m.item.number64(uint64(i))
				default:
					require.True(t, m.item.put([]any{"a", word}))
				}
			}
			m.end()
		}
		require.NoError(t, a.row())
	}
	return b
}

func decoded(t *testing.T, b []byte) *proto.Block {
	t.Helper()
	var out proto.Block
	require.NoError(t, out.Decode(chproto.NewReader(bytes.NewReader(b)), 0))
	return &out
}

// What we write is what the driver writes of the same rows, and reads back.
func TestBlockIsTheDriversOwn(t *testing.T) {
	for _, rows := range []int{1, 5, 700} {
		b := filled(t, rows)
		var raw frames
		require.NoError(t, b.encode(&raw))
		ours := decoded(t, raw.out)
		theirs := proto.NewBlock()
		for i, v := range b.columns {
			require.NoError(t, theirs.AddColumn(v.name, chcolumn.Type(kinds[i])))
			require.NoError(t, v.copyTo(theirs.Columns[i]))
		}
		var buf chproto.Buffer
		require.NoError(t, theirs.Encode(&buf, 0))
		theirs = decoded(t, buf.Buf)
		require.Equal(t, rows, ours.Rows())
		for i := range kinds {
			for row := range rows {
				require.Equal(t, theirs.Columns[i].Row(row, false), ours.Columns[i].Row(row, false), "%s, row %d", kinds[i], row)
			}
		}
		b.reset()
		require.Zero(t, b.rows(), "a block that is used again is empty")
	}
}

// A value that is of another kind than its column is told, and so is a column that
// nobody filled.
func TestBlockRefusesWhatDoesNotFit(t *testing.T) {
	b, err := newBlock([]driver.ColumnNameAndType{{Name: "a", Type: "FixedString(2)"}, {Name: "b", Type: "String"}})
	require.NoError(t, err)
	for _, row := range [][]any{{"text", "b"}, {[]byte("long"), "b"}, {[]byte("ab"), struct{}{}}, {[]byte("ab")}} {
		a := &appender{block: b}
		a.put(row...)
		require.Error(t, a.row(), "%v", row)
	}
	require.Error(t, b.encode(&frames{}))
	_, err = newBlock([]driver.ColumnNameAndType{{Name: "a", Type: "Decimal(9, 2)"}})
	require.Error(t, err)
}
