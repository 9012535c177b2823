package redact

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// sweep walks the structs behind pdata by reflection, beyond what its methods
// show, and puts a secret of its own into every text that it finds. A position
// that a later release adds is found too, and leaks unless somebody handles it.
type sweep struct {
	canaries
	at   []string                  // path of each canary
	kind map[string][]reflect.Type // what the field of that name may hold beside numbers
	next map[string]reflect.Type   // what the next one of that name shall hold
}

// inside returns the struct that a pdata value points at, with all fields open.
func inside(pdata any) reflect.Value {
	orig := reflect.ValueOf(pdata).FieldByName("orig")
	return reflect.NewAt(orig.Type().Elem(), orig.UnsafePointer()).Elem()
}

func newSweep(t *testing.T) *sweep {
	s := &sweep{kind: map[string][]reflect.Type{"NumberDataPoint.Value": nil, "Exemplar.Value": nil}, next: map[string]reflect.Type{}}
	values := []pcommon.Value{
		pcommon.NewValueStr(""), pcommon.NewValueBytes(), pcommon.NewValueMap(), pcommon.NewValueSlice(),
		pcommon.NewValueInt(1), pcommon.NewValueBool(true), pcommon.NewValueDouble(1), pcommon.NewValueEmpty(),
	}
	require.Empty(t, pcommon.ValueType(len(values)).String(), "pdata has a new type of values")
	for _, v := range values[:4] {
		s.kind["AnyValue.Value"] = append(s.kind["AnyValue.Value"], inside(v).FieldByName("Value").Elem().Type())
	}
	metrics := []func(pmetric.Metric){
		func(m pmetric.Metric) { m.SetEmptyGauge() }, func(m pmetric.Metric) { m.SetEmptySum() }, func(m pmetric.Metric) { m.SetEmptyHistogram() },
		func(m pmetric.Metric) { m.SetEmptyExponentialHistogram() }, func(m pmetric.Metric) { m.SetEmptySummary() },
	}
	require.Empty(t, pmetric.MetricType(len(metrics)+1).String(), "pdata has a new type of metrics")
	for _, set := range metrics {
		m := pmetric.NewMetric()
		set(m)
		s.kind["Metric.Data"] = append(s.kind["Metric.Data"], inside(m).FieldByName("Data").Elem().Type())
	}
	return s
}

func (s *sweep) bird(path string) string {
	s.at = append(s.at, path)
	return s.canaries.bird()
}

// plant fills a value; deep counts the values inside values.
func (s *sweep) plant(t *testing.T, v reflect.Value, path string, deep int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s.bird(path))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		s.plant(t, v.Elem(), path, deep)
	case reflect.Struct:
		if v.Type().Name() == "AnyValue" {
			if deep++; deep > 3 {
				return
			}
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name := v.Type().Name() + "." + f.Name
			where := path + "." + f.Name
			if f.Type.Kind() == reflect.Interface {
				kinds, known := s.kind[name]
				require.True(t, known, "%s is a choice that this test does not know", name)
				kind, chosen := s.next[name]
				if delete(s.next, name); !chosen && len(kinds) > 0 {
					kind = kinds[0]
				}
				if kind != nil {
					s.choose(t, v.Field(i), kind, where, deep)
				}
				continue
			}
			if strings.HasSuffix(f.Name, "Strindex") && f.Type.Kind() == reflect.Int32 && v.Type().Name() != "KeyValue" {
				v.Field(i).SetInt(1)
				continue
			}
			s.plant(t, v.Field(i), where, deep)
		}
	case reflect.Slice:
		s.plantSlice(t, v, path, deep)
	case reflect.Interface, reflect.Map, reflect.Func, reflect.Chan:
		t.Fatalf("%s is of a kind that this test does not know: %s", path, v.Type())
	}
}

func (s *sweep) choose(t *testing.T, field reflect.Value, kind reflect.Type, path string, deep int) {
	chosen := reflect.New(kind.Elem())
	s.plant(t, chosen.Elem(), path+"/"+kind.Elem().Name(), deep)
	field.Set(chosen)
}

// plantSlice makes one item, or one for each thing that an item can be.
func (s *sweep) plantSlice(t *testing.T, v reflect.Value, path string, deep int) {
	switch v.Type().Elem().Kind() {
	case reflect.Uint8:
		v.SetBytes([]byte(s.bird(path)))
		return
	case reflect.Int32, reflect.Int64, reflect.Uint64, reflect.Float64:
		return
	case reflect.String:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range 3 {
			v.Index(i).SetString(s.bird(path))
		}
		return
	}
	item := v.Type().Elem()
	for item.Kind() == reflect.Pointer {
		item = item.Elem()
	}
	choice := ""
	switch item.Name() {
	case "KeyValue", "KeyValueAndUnit", "AnyValue":
		if deep >= 3 {
			return
		}
		choice = "AnyValue.Value"
	case "Metric":
		choice = "Metric.Data"
	}
	kinds := s.kind[choice]
	if choice == "" {
		kinds = []reflect.Type{nil}
	}
	v.Set(reflect.MakeSlice(v.Type(), len(kinds), len(kinds)))
	for i, kind := range kinds {
		if kind != nil {
			s.next[choice] = kind
		}
		s.plant(t, v.Index(i), path, deep)
	}
}

type swept struct {
	name    string
	pdata   any
	apply   func(*Policy) Hits
	marshal func() []byte
}

func sweptSignals(t testing.TB) []swept {
	td, ld, md, pd := ptrace.NewTraces(), plog.NewLogs(), pmetric.NewMetrics(), pprofile.NewProfiles()
	must := func(b []byte, err error) []byte {
		require.NoError(t, err)
		return b
	}
	return []swept{
		{"traces", td, func(p *Policy) Hits { return p.Traces(td) }, func() []byte { return must((&ptrace.ProtoMarshaler{}).MarshalTraces(td)) }},
		{"logs", ld, func(p *Policy) Hits { return p.Logs(ld) }, func() []byte { return must((&plog.ProtoMarshaler{}).MarshalLogs(ld)) }},
		{"metrics", md, func(p *Policy) Hits { return p.Metrics(md) }, func() []byte { return must((&pmetric.ProtoMarshaler{}).MarshalMetrics(md)) }},
		{"profiles", pd, func(p *Policy) Hits { return p.Profiles(pd) }, func() []byte { return must((&pprofile.ProtoMarshaler{}).MarshalProfiles(pd)) }},
	}
}

// leaks returns how many canaries each path had and how many got out.
func (s *sweep) leaks(out []byte) (paths []string, planted, leaked map[string]int) {
	planted, leaked = map[string]int{}, map[string]int{}
	for i, bird := range s.flown {
		planted[s.at[i]]++
		if containsBytes(out, bird) {
			leaked[s.at[i]]++
		}
	}
	for path := range planted {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	return paths, planted, leaked
}

// TestNoPositionOfPdataLeaks prints leaks by position (-v).
func TestNoPositionOfPdataLeaks(t *testing.T) {
	for _, deprecatedOnly := range []bool{false, true} {
		for _, signal := range sweptSignals(t) {
			t.Run(fmt.Sprintf("%s/deprecated lists alone %v", signal.name, deprecatedOnly), func(t *testing.T) {
				s := newSweep(t)
				root := inside(signal.pdata)
				s.plant(t, root, signal.name, 0)
				if deprecatedOnly && !emptyScopes(root) {
					t.Skip("has no deprecated list")
				}
				p := compile(t, Settings{Secrets: true, PII: PIIKinds(), TracestateAllow: []string{"*"}, BaggageAllow: []string{"*"}})
				signal.apply(p)
				out := signal.marshal()
				paths, planted, leaked := s.leaks(out)
				t.Logf("%6s %6s  position", "birds", "leaks")
				for _, path := range paths {
					t.Logf("%6d %6d  %s", planted[path], leaked[path], path)
					assert.Zero(t, leaked[path], path)
				}
				assert.Greater(t, len(paths), 8)
				if deprecatedOnly {
					assert.Greater(t, len(out), 1500, "what stands in a deprecated list is redacted, not lost")
				}
				before := out
				assert.Zero(t, signal.apply(p).Total())
				assert.Equal(t, before, signal.marshal(), "a second pass changes nothing")
			})
		}
	}
}

// emptyScopes leaves only the deprecated lists, if there are any.
func emptyScopes(root reflect.Value) (any bool) {
	for i := range root.NumField() {
		f := root.Field(i)
		if f.Kind() != reflect.Slice || !strings.HasPrefix(root.Type().Field(i).Name, "Resource") {
			continue
		}
		item := reflect.Indirect(f.Index(0))
		for k := range item.NumField() {
			if name := item.Type().Field(k).Name; strings.HasPrefix(name, "Deprecated") {
				current := item.FieldByName(strings.TrimPrefix(name, "Deprecated"))
				current.Set(reflect.Zero(current.Type()))
				any = true
			}
		}
	}
	return any
}

// TestTheSweepFindsLeaks proves that the sweep can fail: with rules off, every
// position that is no list of its own rules lets its canaries through.
func TestTheSweepFindsLeaks(t *testing.T) {
	for _, signal := range sweptSignals(t) {
		s := newSweep(t)
		s.plant(t, inside(signal.pdata), signal.name, 0)
		_, _, leaked := s.leaks(signal.marshal())
		for i := range s.flown {
			assert.Positive(t, leaked[s.at[i]], s.at[i])
		}
	}
}
