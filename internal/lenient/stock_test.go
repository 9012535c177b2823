package lenient

import (
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// request is what the stock receiver decodes a body into.
type request interface {
	UnmarshalJSON([]byte) error
	MarshalJSON() ([]byte, error)
	UnmarshalProto([]byte) error
}

func newRequest(s Signal) request {
	switch s {
	case Traces:
		return ptraceotlp.NewExportRequest()
	case Logs:
		return plogotlp.NewExportRequest()
	case Metrics:
		return pmetricotlp.NewExportRequest()
	default:
		return pprofileotlp.NewExportRequest()
	}
}

// stock decodes a body as the stock receiver does.
func stock(s Signal, body []byte) error { return newRequest(s).UnmarshalJSON(body) }

var signals = []Signal{Traces, Logs, Metrics, Profiles}
