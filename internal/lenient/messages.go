package lenient

// messages are the messages of OTLP as pdata v1.67.0 reads them from JSON. The
// tests compare each field with what the decoder takes.
var messages = map[string][]field{
	"ExportTraceRequest": {
		{name: "resourceSpans", of: "ResourceSpans", number: 1, list: true},
	},
	"ResourceSpans": {
		{name: "resource", of: "Resource", number: 1},
		{name: "scopeSpans", of: "ScopeSpans", number: 2, list: true},
		{name: "schemaUrl", kind: text},
		{name: "deprecatedScopeSpans", of: "ScopeSpans", number: 1000, list: true},
	},
	"Resource": {
		{name: "attributes", of: "KeyValue", number: 1, list: true},
		{name: "droppedAttributesCount", kind: natural32},
		{name: "entityRefs", of: "EntityRef", number: 3, list: true},
	},
	"KeyValue": {
		{name: "key", kind: text},
		{name: "value", of: "AnyValue", number: 2},
		{name: "keyStrindex", kind: integer32},
	},
	"AnyValue": {
		{name: "stringValue", kind: text},
		{name: "boolValue", kind: mendedBool},
		{name: "intValue", kind: mendedInt, double: "doubleValue"},
		{name: "doubleValue", kind: mendedDouble},
		{name: "arrayValue", of: "ArrayValue", number: 5},
		{name: "kvlistValue", of: "KeyValueList", number: 6},
		{name: "bytesValue", kind: base64Bytes},
		{name: "stringValueStrindex", kind: integer32},
	},
	"ArrayValue": {
		{name: "values", of: "AnyValue", number: 1, list: true},
	},
	"KeyValueList": {
		{name: "values", of: "KeyValue", number: 1, list: true},
	},
	"EntityRef": {
		{name: "schemaUrl", kind: text},
		{name: "type", kind: text},
		{name: "idKeys", kind: text, list: true},
		{name: "descriptionKeys", kind: text, list: true},
	},
	"ScopeSpans": {
		{name: "scope", of: "InstrumentationScope", number: 1},
		{name: "spans", of: "Span", number: 2, list: true},
		{name: "schemaUrl", kind: text},
	},
	"InstrumentationScope": {
		{name: "name", kind: text},
		{name: "version", kind: text},
		{name: "attributes", of: "KeyValue", number: 3, list: true},
		{name: "droppedAttributesCount", kind: natural32},
	},
	"Span": {
		{name: "traceId", kind: id16},
		{name: "spanId", kind: id8},
		{name: "traceState", kind: text},
		{name: "parentSpanId", kind: id8},
		{name: "flags", kind: natural32},
		{name: "name", kind: text},
		{name: "kind", kind: enum, names: spanKinds},
		{name: "startTimeUnixNano", kind: natural64},
		{name: "endTimeUnixNano", kind: natural64},
		{name: "attributes", of: "KeyValue", number: 9, list: true},
		{name: "droppedAttributesCount", kind: natural32},
		{name: "events", of: "SpanEvent", number: 11, list: true},
		{name: "droppedEventsCount", kind: natural32},
		{name: "links", of: "SpanLink", number: 13, list: true},
		{name: "droppedLinksCount", kind: natural32},
		{name: "status", of: "Status", number: 15},
	},
	"SpanEvent": {
		{name: "timeUnixNano", kind: natural64},
		{name: "name", kind: text},
		{name: "attributes", of: "KeyValue", number: 3, list: true},
		{name: "droppedAttributesCount", kind: natural32},
	},
	"SpanLink": {
		{name: "traceId", kind: id16},
		{name: "spanId", kind: id8},
		{name: "traceState", kind: text},
		{name: "attributes", of: "KeyValue", number: 4, list: true},
		{name: "droppedAttributesCount", kind: natural32},
		{name: "flags", kind: natural32},
	},
	"Status": {
		{name: "message", kind: text},
		{name: "code", kind: enum, names: statusCodes},
	},
	"ExportLogsRequest": {
		{name: "resourceLogs", of: "ResourceLogs", number: 1, list: true},
	},
	"ResourceLogs": {
		{name: "resource", of: "Resource", number: 1},
		{name: "scopeLogs", of: "ScopeLogs", number: 2, list: true},
		{name: "schemaUrl", kind: text},
		{name: "deprecatedScopeLogs", of: "ScopeLogs", number: 1000, list: true},
	},
	"ScopeLogs": {
		{name: "scope", of: "InstrumentationScope", number: 1},
		{name: "logRecords", of: "LogRecord", number: 2, list: true},
		{name: "schemaUrl", kind: text},
	},
	"LogRecord": {
		{name: "timeUnixNano", kind: natural64},
		{name: "observedTimeUnixNano", kind: natural64},
		{name: "severityNumber", kind: enum, names: severities},
		{name: "severityText", kind: text},
		{name: "body", of: "AnyValue", number: 5},
		{name: "attributes", of: "KeyValue", number: 6, list: true},
		{name: "droppedAttributesCount", kind: natural32},
		{name: "flags", kind: natural32},
		{name: "traceId", kind: id16},
		{name: "spanId", kind: id8},
		{name: "eventName", kind: text},
	},
	"ExportMetricsRequest": {
		{name: "resourceMetrics", of: "ResourceMetrics", number: 1, list: true},
	},
	"ResourceMetrics": {
		{name: "resource", of: "Resource", number: 1},
		{name: "scopeMetrics", of: "ScopeMetrics", number: 2, list: true},
		{name: "schemaUrl", kind: text},
		{name: "deprecatedScopeMetrics", of: "ScopeMetrics", number: 1000, list: true},
	},
	"ScopeMetrics": {
		{name: "scope", of: "InstrumentationScope", number: 1},
		{name: "metrics", of: "Metric", number: 2, list: true},
		{name: "schemaUrl", kind: text},
	},
	"Metric": {
		{name: "name", kind: text},
		{name: "description", kind: text},
		{name: "unit", kind: text},
		{name: "gauge", of: "Gauge", number: 5},
		{name: "sum", of: "Sum", number: 7},
		{name: "histogram", of: "Histogram", number: 9},
		{name: "exponentialHistogram", of: "ExponentialHistogram", number: 10},
		{name: "summary", of: "Summary", number: 11},
		{name: "metadata", of: "KeyValue", number: 12, list: true},
	},
	"Gauge": {
		{name: "dataPoints", of: "NumberDataPoint", number: 1, list: true},
	},
	"NumberDataPoint": {
		{name: "attributes", of: "KeyValue", number: 7, list: true},
		{name: "startTimeUnixNano", kind: natural64},
		{name: "timeUnixNano", kind: natural64},
		{name: "asDouble", kind: mendedDouble},
		{name: "asInt", kind: mendedInt, double: "asDouble"},
		{name: "exemplars", of: "Exemplar", number: 5, list: true},
		{name: "flags", kind: natural32},
	},
	"Exemplar": {
		{name: "filteredAttributes", of: "KeyValue", number: 7, list: true},
		{name: "timeUnixNano", kind: natural64},
		{name: "asDouble", kind: mendedDouble},
		{name: "asInt", kind: mendedInt, double: "asDouble"},
		{name: "traceId", kind: id16},
		{name: "spanId", kind: id8},
	},
	"Sum": {
		{name: "dataPoints", of: "NumberDataPoint", number: 1, list: true},
		{name: "aggregationTemporality", kind: enum, names: temporalities},
		{name: "isMonotonic", kind: boolean},
	},
	"Histogram": {
		{name: "dataPoints", of: "HistogramDataPoint", number: 1, list: true},
		{name: "aggregationTemporality", kind: enum, names: temporalities},
	},
	"HistogramDataPoint": {
		{name: "attributes", of: "KeyValue", number: 9, list: true},
		{name: "startTimeUnixNano", kind: natural64},
		{name: "timeUnixNano", kind: natural64},
		{name: "count", kind: natural64},
		{name: "sum", kind: mendedDouble},
		{name: "bucketCounts", kind: natural64, list: true},
		{name: "explicitBounds", kind: double, list: true},
		{name: "exemplars", of: "Exemplar", number: 8, list: true},
		{name: "flags", kind: natural32},
		{name: "min", kind: mendedDouble},
		{name: "max", kind: mendedDouble},
	},
	"ExponentialHistogram": {
		{name: "dataPoints", of: "ExponentialHistogramDataPoint", number: 1, list: true},
		{name: "aggregationTemporality", kind: enum, names: temporalities},
	},
	"ExponentialHistogramDataPoint": {
		{name: "attributes", of: "KeyValue", number: 1, list: true},
		{name: "startTimeUnixNano", kind: natural64},
		{name: "timeUnixNano", kind: natural64},
		{name: "count", kind: natural64},
		{name: "sum", kind: mendedDouble},
		{name: "scale", kind: integer32},
		{name: "zeroCount", kind: natural64},
		{name: "positive", of: "Buckets", number: 8},
		{name: "negative", of: "Buckets", number: 9},
		{name: "flags", kind: natural32},
		{name: "exemplars", of: "Exemplar", number: 11, list: true},
		{name: "min", kind: mendedDouble},
		{name: "max", kind: mendedDouble},
		{name: "zeroThreshold", kind: double},
	},
	"Buckets": {
		{name: "offset", kind: integer32},
		{name: "bucketCounts", kind: natural64, list: true},
	},
	"Summary": {
		{name: "dataPoints", of: "SummaryDataPoint", number: 1, list: true},
	},
	"SummaryDataPoint": {
		{name: "attributes", of: "KeyValue", number: 7, list: true},
		{name: "startTimeUnixNano", kind: natural64},
		{name: "timeUnixNano", kind: natural64},
		{name: "count", kind: natural64},
		{name: "sum", kind: double},
		{name: "quantileValues", of: "ValueAtQuantile", number: 6, list: true},
		{name: "flags", kind: natural32},
	},
	"ValueAtQuantile": {
		{name: "quantile", kind: double},
		{name: "value", kind: double},
	},
	"ExportProfilesRequest": {
		{name: "resourceProfiles", of: "ResourceProfiles", number: 1, list: true},
		{name: "dictionary", of: "ProfilesDictionary", number: 2},
	},
	"ResourceProfiles": {
		{name: "resource", of: "Resource", number: 1},
		{name: "scopeProfiles", of: "ScopeProfiles", number: 2, list: true},
		{name: "schemaUrl", kind: text},
	},
	"ScopeProfiles": {
		{name: "scope", of: "InstrumentationScope", number: 1},
		{name: "profiles", of: "Profile", number: 2, list: true},
		{name: "schemaUrl", kind: text},
	},
	"Profile": {
		{name: "sampleType", of: "ValueType", number: 1},
		{name: "samples", of: "Sample", number: 2, list: true},
		{name: "timeUnixNano", kind: natural64},
		{name: "durationNano", kind: natural64},
		{name: "periodType", of: "ValueType", number: 5},
		{name: "period", kind: integer64},
		{name: "profileId", kind: id16},
		{name: "droppedAttributesCount", kind: natural32},
		{name: "originalPayloadFormat", kind: text},
		{name: "originalPayload", kind: base64Bytes},
		{name: "attributeIndices", kind: integer32, list: true},
	},
	"ValueType": {
		{name: "typeStrindex", kind: integer32},
		{name: "unitStrindex", kind: integer32},
	},
	"Sample": {
		{name: "stackIndex", kind: integer32},
		{name: "attributeIndices", kind: integer32, list: true},
		{name: "linkIndex", kind: integer32},
		{name: "values", kind: integer64, list: true},
		{name: "timestampsUnixNano", kind: natural64, list: true},
	},
	"ProfilesDictionary": {
		{name: "mappingTable", of: "Mapping", number: 1, list: true},
		{name: "locationTable", of: "Location", number: 2, list: true},
		{name: "functionTable", of: "Function", number: 3, list: true},
		{name: "linkTable", of: "Link", number: 4, list: true},
		{name: "stringTable", kind: text, list: true},
		{name: "attributeTable", of: "KeyValueAndUnit", number: 6, list: true},
		{name: "stackTable", of: "Stack", number: 7, list: true},
	},
	"Mapping": {
		{name: "memoryStart", kind: natural64},
		{name: "memoryLimit", kind: natural64},
		{name: "fileOffset", kind: natural64},
		{name: "filenameStrindex", kind: integer32},
		{name: "attributeIndices", kind: integer32, list: true},
	},
	"Location": {
		{name: "mappingIndex", kind: integer32},
		{name: "address", kind: natural64},
		{name: "lines", of: "Line", number: 3, list: true},
		{name: "attributeIndices", kind: integer32, list: true},
	},
	"Line": {
		{name: "functionIndex", kind: integer32},
		{name: "line", kind: integer64},
		{name: "column", kind: integer64},
	},
	"Function": {
		{name: "nameStrindex", kind: integer32},
		{name: "systemNameStrindex", kind: integer32},
		{name: "filenameStrindex", kind: integer32},
		{name: "startLine", kind: integer64},
	},
	"Link": {
		{name: "traceId", kind: id16},
		{name: "spanId", kind: id8},
	},
	"KeyValueAndUnit": {
		{name: "keyStrindex", kind: integer32},
		{name: "value", of: "AnyValue", number: 2},
		{name: "unitStrindex", kind: integer32},
	},
	"Stack": {
		{name: "locationIndices", kind: integer32, list: true},
	},
}

// The names that an enum may be written by. One of them ends in a blank in pdata's
// own list, and is not known to it without.
var (
	spanKinds = set("SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER", "SPAN_KIND_CLIENT",
		"SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER")
	statusCodes   = set("STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR")
	temporalities = set("AGGREGATION_TEMPORALITY_UNSPECIFIED", "AGGREGATION_TEMPORALITY_DELTA", "AGGREGATION_TEMPORALITY_CUMULATIVE")
	severities    = set("SEVERITY_NUMBER_UNSPECIFIED",
		"SEVERITY_NUMBER_TRACE ", "SEVERITY_NUMBER_TRACE2", "SEVERITY_NUMBER_TRACE3", "SEVERITY_NUMBER_TRACE4",
		"SEVERITY_NUMBER_DEBUG", "SEVERITY_NUMBER_DEBUG2", "SEVERITY_NUMBER_DEBUG3", "SEVERITY_NUMBER_DEBUG4",
		"SEVERITY_NUMBER_INFO", "SEVERITY_NUMBER_INFO2", "SEVERITY_NUMBER_INFO3", "SEVERITY_NUMBER_INFO4",
		"SEVERITY_NUMBER_WARN", "SEVERITY_NUMBER_WARN2", "SEVERITY_NUMBER_WARN3", "SEVERITY_NUMBER_WARN4",
		"SEVERITY_NUMBER_ERROR", "SEVERITY_NUMBER_ERROR2", "SEVERITY_NUMBER_ERROR3", "SEVERITY_NUMBER_ERROR4",
		"SEVERITY_NUMBER_FATAL", "SEVERITY_NUMBER_FATAL2", "SEVERITY_NUMBER_FATAL3", "SEVERITY_NUMBER_FATAL4")
)

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
