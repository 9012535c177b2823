package redact

import (
	"reflect"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// OTLP once had scopes in lists of another name. A request in binary form has
// them moved to where they belong when it is read; one in JSON carries them on,
// out of reach of pdata, and they are written out again. Here the one is turned
// into the other.

// hiddenList is a field of a resource's data that only reflection sees.
type hiddenList struct{ orig, list []int }

func hidden(of any, name string) hiddenList {
	orig, ok := reflect.TypeOf(of).FieldByName("orig")
	if !ok || orig.Type.Kind() != reflect.Pointer {
		return hiddenList{}
	}
	list, ok := orig.Type.Elem().FieldByName(name)
	if !ok || list.Type.Kind() != reflect.Slice {
		return hiddenList{}
	}
	return hiddenList{orig.Index, list.Index}
}

func (h hiddenList) filled(of any) bool {
	return h.list != nil && reflect.ValueOf(of).FieldByIndex(h.orig).Elem().FieldByIndex(h.list).Len() > 0
}

var (
	hiddenSpans   = hidden(ptrace.ResourceSpans{}, "DeprecatedScopeSpans")
	hiddenLogs    = hidden(plog.ResourceLogs{}, "DeprecatedScopeLogs")
	hiddenMetrics = hidden(pmetric.ResourceMetrics{}, "DeprecatedScopeMetrics")
)

// migrateTraces moves the scopes of deprecated lists. If that does not go, the
// data is gone: it would not be read.
func (w *walk) migrateTraces(td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		if !hiddenSpans.filled(rs) {
			continue
		}
		req := ptraceotlp.NewExportRequestFromTraces(td)
		again := ptraceotlp.NewExportRequest()
		b, err := req.MarshalProto()
		if err == nil {
			err = again.UnmarshalProto(b)
		}
		td.ResourceSpans().RemoveIf(func(ptrace.ResourceSpans) bool { return true })
		if err != nil {
			w.tally.fail(Opaque, ScopeName)
			return
		}
		again.Traces().ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
		return
	}
}

func (w *walk) migrateLogs(ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		if !hiddenLogs.filled(rl) {
			continue
		}
		req := plogotlp.NewExportRequestFromLogs(ld)
		again := plogotlp.NewExportRequest()
		b, err := req.MarshalProto()
		if err == nil {
			err = again.UnmarshalProto(b)
		}
		ld.ResourceLogs().RemoveIf(func(plog.ResourceLogs) bool { return true })
		if err != nil {
			w.tally.fail(Opaque, ScopeName)
			return
		}
		again.Logs().ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
		return
	}
}

func (w *walk) migrateMetrics(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		if !hiddenMetrics.filled(rm) {
			continue
		}
		req := pmetricotlp.NewExportRequestFromMetrics(md)
		again := pmetricotlp.NewExportRequest()
		b, err := req.MarshalProto()
		if err == nil {
			err = again.UnmarshalProto(b)
		}
		md.ResourceMetrics().RemoveIf(func(pmetric.ResourceMetrics) bool { return true })
		if err != nil {
			w.tally.fail(Opaque, ScopeName)
			return
		}
		again.Metrics().ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
		return
	}
}
