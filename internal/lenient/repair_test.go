package lenient

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	levels = 256
	record = `$.resourceLogs[0].scopeLogs[0].logRecords[0]`
	value  = record + `.attributes[0].value`
)

// logOf is a request with one record of some fields.
func logOf(fields string) []byte {
	return []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{` + fields + `}]}]}]}`)
}

// valueOf is a request with one attribute.
func valueOf(v string) []byte { return logOf(`"attributes":[{"key":"a","value":` + v + `}]`) }

// What agents write wrong is mended, each in its own way and counted once.
func TestMends(t *testing.T) {
	for _, c := range []struct {
		from, to string
		kinds    []Kind
	}{
		{`{"intValue":12.0}`, `{"intValue":12}`, []Kind{IntIntegral}},
		{`{"intValue":"12.0"}`, `{"intValue":12}`, []Kind{IntIntegral}},
		{`{"intValue":1e3}`, `{"intValue":1000}`, []Kind{IntIntegral}},
		{`{"intValue":1.50E+1}`, `{"intValue":15}`, []Kind{IntIntegral}},
		{`{"intValue":-120e-1}`, `{"intValue":-12}`, []Kind{IntIntegral}},
		{`{"intValue":-0.0}`, `{"intValue":0}`, []Kind{IntIntegral}},
		{`{"intValue":0e999}`, `{"intValue":0}`, []Kind{IntIntegral}},
		{`{"intValue":9223372036854775807.0}`, `{"intValue":9223372036854775807}`, []Kind{IntIntegral}},
		{`{"intValue":9007199254740993.0}`, `{"intValue":9007199254740993}`, []Kind{IntIntegral}},
		{`{"int_value" : 12.0 }`, `{"int_value" : 12 }`, []Kind{IntIntegral}},
		{`{"\u0069ntValue":12.0}`, `{"\u0069ntValue":12}`, []Kind{IntIntegral}},
		{`{"intValue":12.5}`, `{"doubleValue":12.5}`, []Kind{IntToDouble}},
		{`{"int_value" :"-12.5"}`, `{"doubleValue":"-12.5"}`, []Kind{IntToDouble}},
		{`{"intValue":1e-3}`, `{"doubleValue":1e-3}`, []Kind{IntToDouble}},
		{`{"intValue":1e30}`, `{"doubleValue":1e30}`, []Kind{IntToDouble}},
		{`{"intValue":9223372036854775808.0}`, `{"doubleValue":9223372036854775808.0}`, []Kind{IntToDouble}},
		{`{"intValue":""}`, `{}`, []Kind{IntEmpty}},
		{`{"doubleValue":{}}`, `{}`, []Kind{DoubleObject}},
		{`{"doubleValue":{ } }`, `{ }`, []Kind{DoubleObject}},
		{`{"doubleValue":null}`, `{}`, []Kind{DoubleNull}},
		{`{"double_value":null}`, `{}`, []Kind{DoubleNull}},
		{`{"boolValue":"true"}`, `{"boolValue":true}`, []Kind{BoolText}},
		{`{"boolValue":"false"}`, `{"boolValue":false}`, []Kind{BoolText}},
		{`{"boolValue":"tr\u0075e"}`, `{"boolValue":true}`, []Kind{BoolText}},
		// A member leaves with its comma, wherever it stands.
		{`{"x":1,"doubleValue":{}}`, `{"x":1}`, []Kind{DoubleObject}},
		{`{"doubleValue":{},"x":1}`, `{"x":1}`, []Kind{DoubleObject}},
		{`{ "doubleValue" : {} , "x":1}`, `{  "x":1}`, []Kind{DoubleObject}},
		{`{"x":1 , "doubleValue":{},"y":2}`, `{"x":1 ,"y":2}`, []Kind{DoubleObject}},
		{`{"doubleValue":{},"doubleValue":null,"intValue":""}`, `{}`, []Kind{DoubleObject, DoubleNull, IntEmpty}},
		{`{"doubleValue":{},"doubleValue":null,"intValue":1.0}`, `{"intValue":1}`, []Kind{DoubleObject, DoubleNull, IntIntegral}},
		{`{"doubleValue":{},"intValue":1.5,"boolValue":"true"}`, `{"doubleValue":1.5,"boolValue":true}`, []Kind{DoubleObject, IntToDouble, BoolText}},
		// Values of values.
		{`{"arrayValue":{"values":[{"intValue":1.0},{"doubleValue":null},{"kvlistValue":{"values":[{"key":"k","value":{"boolValue":"true"}}]}}]}}`,
			`{"arrayValue":{"values":[{"intValue":1},{},{"kvlistValue":{"values":[{"key":"k","value":{"boolValue":true}}]}}]}}`,
			[]Kind{IntIntegral, DoubleNull, BoolText}},
	} {
		t.Run(c.from, func(t *testing.T) { mends(t, Logs, valueOf(c.from), valueOf(c.to), c.kinds) })
	}
}

// An id that is null, too short or in base64 is mended wherever an id stands.
func TestMendsIDs(t *testing.T) {
	for _, c := range []struct {
		from, to string
		kinds    []Kind
	}{
		{`"traceId":null`, `"traceId":""`, []Kind{IDNull}},
		{`"traceId":"ABCDEF0123456789"`, `"traceId":"0000000000000000ABCDEF0123456789"`, []Kind{IDShort}},
		{`"traceId":"1"`, `"traceId":"00000000000000000000000000000001"`, []Kind{IDShort}},
		{`"traceId":"AAECAwQFBgcICQoLDA0ODw=="`, `"traceId":"000102030405060708090a0b0c0d0e0f"`, []Kind{IDBase64}},
		{`"traceId":"AAECAwQFBgcICQoLDA0ODw"`, `"traceId":"000102030405060708090a0b0c0d0e0f"`, []Kind{IDBase64}},
		{`"traceId":"\/\/79/Pv6+fj39vX08/Lx8A=="`, `"traceId":"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0"`, []Kind{IDBase64}},
		{`"traceId":"__79_Pv6-fj39vX08_Lx8A"`, `"traceId":"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0"`, []Kind{IDBase64}},
		{`"trace_id":null,"span_id":"AAECAwQFBgc="`, `"trace_id":"","span_id":"0001020304050607"`, []Kind{IDNull, IDBase64}},
		{`"spanId":"ff"`, `"spanId":"00000000000000ff"`, []Kind{IDShort}},
	} {
		t.Run(c.from, func(t *testing.T) { mends(t, Logs, logOf(c.from), logOf(c.to), c.kinds) })
	}
	span := func(id string) []byte {
		return []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"parentSpanId":` + id + `,"links":[{"traceId":` + id + `}]}]}]}]}`)
	}
	mends(t, Traces, span("null"), span(`""`), []Kind{IDNull, IDNull})
}

// The value of a data point or exemplar is mended as an attribute's is; so are those
// of a histogram that need not be set.
func TestMendsMetrics(t *testing.T) {
	point := func(kind, fields string) []byte {
		return []byte(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"` + kind + `":{"dataPoints":[{` + fields + `}]}}]}]}]}`)
	}
	for _, c := range []struct {
		kind, from, to string
		kinds          []Kind
	}{
		{"sum", `"asInt":12.0`, `"asInt":12`, []Kind{IntIntegral}},
		{"sum", `"asInt":"1e3","flags":0`, `"asInt":1000,"flags":0`, []Kind{IntIntegral}},
		{"sum", `"as_int":12.5`, `"asDouble":12.5`, []Kind{IntToDouble}},
		{"gauge", `"asInt":"","flags":0`, `"flags":0`, []Kind{IntEmpty}},
		{"gauge", `"asDouble":{}`, ``, []Kind{DoubleObject}},
		{"gauge", `"flags":0,"asDouble":null`, `"flags":0`, []Kind{DoubleNull}},
		{"gauge", `"exemplars":[{"asInt":1.5,"traceId":null}]`, `"exemplars":[{"asDouble":1.5,"traceId":""}]`, []Kind{IntToDouble, IDNull}},
		{"histogram", `"count":1,"sum":null,"min":{},"max":null`, `"count":1`, []Kind{DoubleNull, DoubleObject, DoubleNull}},
		{"exponentialHistogram", `"sum":{},"count":1`, `"count":1`, []Kind{DoubleObject}},
	} {
		t.Run(c.from, func(t *testing.T) { mends(t, Metrics, point(c.kind, c.from), point(c.kind, c.to), c.kinds) })
	}
	_, _, err := Repair(Metrics, point("summary", `"sum":null`), levels)
	require.Error(t, err, "a summary without its sum would say that it is 0")
}

func mends(t *testing.T, s Signal, from, to []byte, kinds []Kind) {
	require.Error(t, stock(s, from), "the decoder takes it as it is")
	fixed, counts, err := Repair(s, from, levels)
	require.NoError(t, err)
	require.Equal(t, string(to), string(fixed))
	require.NoError(t, stock(s, fixed))
	var want Counts
	for _, k := range kinds {
		want[k]++
	}
	require.Equal(t, want, counts)
}

// What the decoder takes is returned as it came, odd as it may be.
func TestTakenAsItIs(t *testing.T) {
	for _, body := range [][]byte{
		valueOf(`{"intValue":12}`), valueOf(`{"intValue":"12"}`), valueOf(`{"intValue":9007199254740993}`),
		valueOf(`{"intValue":"-9223372036854775808"}`), valueOf(`{"intValue":"+5"}`),
		valueOf(`{"doubleValue":"NaN"}`), valueOf(`{"doubleValue":"0.01"}`), valueOf(`{"doubleValue":1}`),
		valueOf(`{"doubleValue":"-Infinity"}`), valueOf(`{"doubleValue":-1.5e-7}`),
		valueOf(`{}`), valueOf(`null`), valueOf(`{"setValue":{"intValue":12.5,"traceId":null}}`),
		valueOf(`{"stringValue":null}`), valueOf(`{"bytesValue":"AAEC"}`), valueOf(`{"intValue":1,"intValue":2,"doubleValue":3}`),
		valueOf(`{"stringValue":"a\u0000\ud83d\ude00\ud800\/"}`), valueOf("{\"stringValue\":\"\xe2\x82\"}"), valueOf("{\"stringValue\":\"\xff\"}"),
		logOf(`"traceId":"","spanId":""`), logOf(`"traceId":"ABCDEF0123456789ABCDEF0123456789"`),
		logOf(`"body":null,"severityNumber":"SEVERITY_NUMBER_INFO","timeUnixNano":1700000000000000000,"more":{"a":[1,-2.5e3,"x",null,true,{}]}`),
		logOf(`"attributes":[{"key":"a"},{"key":"a"}],"attributes":[{"key":"b"}]`),
		[]byte(`{}`), []byte(`null`), []byte(" \t\r\n{ } trailing bytes"), []byte(`{}{}`), logOf(``),
		[]byte(`{"resourceLogs":null,"resource_logs":[]}`),
	} {
		require.NoError(t, stock(Logs, body), "%s", body)
		fixed, counts, err := Repair(Logs, body, levels)
		require.NoError(t, err, "%s", body)
		require.Same(t, &body[0], &fixed[0], "%s", body)
		require.Zero(t, counts.Total(), "%s", body)
	}
}

// What no mend is for is refused with the path of the first fault.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		body []byte
		path string
		why  Reason
	}{
		{valueOf(`{"intValue":{}}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":true}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":null}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":"abc"}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":" 1"}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":"12.0.0"}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":"-"}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":"1e"}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":".5"}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":1.}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":00.5}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":"0x1p4"}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":1e999}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":1e99999999999999999999}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":9223372036854775808}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":"-9223372036854775809"}`), value + `.intValue`, Value},
		{valueOf(`{"intValue":NaN}`), value + `.intValue`, Value},
		{valueOf(`{"doubleValue":NaN}`), value + `.doubleValue`, Value},
		{valueOf(`{"doubleValue":Infinity}`), value + `.doubleValue`, Value},
		{valueOf(`{"doubleValue":{"x":1}}`), value + `.doubleValue`, Value},
		{valueOf(`{"doubleValue":[]}`), value + `.doubleValue`, Value},
		{valueOf(`{"doubleValue":""}`), value + `.doubleValue`, Value},
		{valueOf(`{"doubleValue":"abc"}`), value + `.doubleValue`, Value},
		{valueOf(`{"doubleValue":1e999}`), value + `.doubleValue`, Value},
		{valueOf(`{"doubleValue":nul}`), value + `.doubleValue`, Syntax},
		{valueOf(`{"boolValue":"yes"}`), value + `.boolValue`, Value},
		{valueOf(`{"boolValue":"True"}`), value + `.boolValue`, Value},
		{valueOf(`{"boolValue":1}`), value + `.boolValue`, Value},
		{valueOf(`{"boolValue":null}`), value + `.boolValue`, Value},
		{valueOf(`{"stringValue":1}`), value + `.stringValue`, Value},
		{valueOf(`{"bytesValue":"?"}`), value + `.bytesValue`, Value},
		{valueOf(`{"doubleValue":{},}`), value, Syntax},
		{valueOf(`[]`), value, Syntax},
		{valueOf(`{"arrayValue":{"values":[{},{"intValue":false}]}}`), value + `.arrayValue.values[1].intValue`, Value},
		{valueOf(`{"kvlist_value":{"values":[{"value":{"boolValue":0}}]}}`), value + `.kvlistValue.values[0].value.boolValue`, Value},
		{logOf(`"traceId":"xyz"`), record + `.traceId`, Value},
		{logOf(`"traceId":"000102030405060708090a0b0c0d0e0f00"`), record + `.traceId`, Value},
		{logOf(`"traceId":"000102030405060708090a0b0c0d0e0g"`), record + `.traceId`, Value},
		{logOf(`"traceId":7`), record + `.traceId`, Value},
		{logOf(`"traceId":"AAECAwQFBgc="`), record + `.traceId`, Value},
		{logOf(`"spanId":"000102030405060708090a0b0c0d0e0f"`), record + `.spanId`, Value},
		{logOf(`"timeUnixNano":1.7e18`), record + `.timeUnixNano`, Value},
		{logOf(`"timeUnixNano":-1`), record + `.timeUnixNano`, Value},
		{logOf(`"timeUnixNano":{}`), record + `.timeUnixNano`, Value},
		{logOf(`"severityNumber":"loud"`), record + `.severityNumber`, Value},
		{logOf(`"flags":4294967296`), record + `.flags`, Value},
		{logOf(`"secret-key":{"intValue":tru}`), record + `.*`, Syntax},
		{logOf(`"secret-key":1e999`), record + `.*`, Value},
		{logOf(`"body":{"stringValue":"a` + "\n" + `b"}`), record + `.body.stringValue`, Syntax},
		{logOf(`"body":{"stringValue":"\x41"}`), record + `.body.stringValue`, Syntax},
		{logOf(`"body":{"stringValue":"\u12"}`), record + `.body.stringValue`, Syntax},
		{[]byte(``), `$`, Syntax},
		{[]byte(`  `), `$`, Syntax},
		{[]byte("\xef\xbb\xbf{}"), `$`, Syntax},
		{[]byte(`[]`), `$`, Syntax},
		{[]byte(`"x"`), `$`, Syntax},
		{[]byte(`nul`), `$`, Syntax},
		{[]byte(`{"resourceLogs"`), `$`, Syntax},
		{[]byte(`{"resourceLogs`), `$`, Syntax},
		{[]byte(`{"resourceLogs\`), `$`, Syntax},
		{[]byte(`{"resourceLogs":`), `$.resourceLogs`, Syntax},
		{[]byte(`{"resourceLogs":[`), `$.resourceLogs`, Syntax},
		{[]byte(`{"resourceLogs":[{`), `$.resourceLogs[0]`, Syntax},
		{[]byte(`{"resourceLogs":[{}`), `$.resourceLogs`, Syntax},
		{[]byte(`{"resourceLogs":[{}]`), `$`, Syntax},
		{[]byte(`{"resourceLogs":[{}{}]}`), `$.resourceLogs`, Syntax},
		{[]byte(`{"resourceLogs":{}}`), `$.resourceLogs`, Syntax},
		{[]byte(`{'resourceLogs':[]}`), `$`, Syntax},
		{[]byte(`{"resourceLogs":[],"x"}`), `$`, Syntax},
	} {
		require.Error(t, stock(Logs, c.body), "%s", c.body)
		fixed, counts, err := Repair(Logs, c.body, levels)
		var fault *Fault
		require.ErrorAs(t, err, &fault, "%s", c.body)
		require.Equal(t, c.path, fault.Path, "%s", c.body)
		require.Equal(t, c.why, fault.Reason, "%s", c.body)
		require.Nil(t, fixed)
		require.Zero(t, counts.Total())
		require.NotContains(t, err.Error(), "secret")
		require.LessOrEqual(t, fault.Offset, len(c.body))
	}
}

// Nesting is bounded in values, in unknown fields and in arrays alike, and the path
// of what is too deep is cut.
func TestNesting(t *testing.T) {
	deep := func(open, shut string, n int) string { return strings.Repeat(open, n) + strings.Repeat(shut, n) }
	for name, body := range map[string][]byte{
		"values":  valueOf(deep(`{"arrayValue":{"values":[`, `]}}`, 100_000)),
		"lists":   valueOf(deep(`{"kvlistValue":{"values":[{"value":`, `}]}}`, 100_000)),
		"objects": []byte(`{"x":` + strings.Repeat(`{"a":`, 100_000) + `1` + strings.Repeat(`}`, 100_000) + `}`),
		"arrays":  []byte(`{"x":` + deep(`[`, `]`, 100_000) + `}`),
		"cut off": []byte(strings.Repeat(`{"resourceLogs":[`, 100_000)),
	} {
		_, _, err := Repair(Logs, body, levels)
		var fault *Fault
		require.ErrorAs(t, err, &fault, name)
		if name != "cut off" {
			require.Equal(t, Nesting, fault.Reason, name)
		}
		require.Less(t, len(err.Error()), 2000, name)
	}
	// The last level that is allowed, and one more.
	body := []byte(`{"x":[[{"y":[]}]]}`)
	_, _, err := Repair(Logs, body, 5)
	require.NoError(t, err)
	_, _, err = Repair(Logs, body, 4)
	require.ErrorContains(t, err, "$.*: must not nest objects and arrays deeper than 4 levels")
}
