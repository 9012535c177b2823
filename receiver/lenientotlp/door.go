package lenientotlp

import (
	"context"
	"errors"
	"io"
	"net/http"

	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/internal/lenient"
)

// request is an export request of one signal.
type request struct {
	decoder
	deliver func(context.Context) error // to the pipeline
}

type decoder interface {
	UnmarshalProto([]byte) error
	UnmarshalJSON([]byte) error
}

// response is the answer to a request that was taken.
type response interface {
	MarshalProto() ([]byte, error)
	MarshalJSON() ([]byte, error)
}

// door is the handler of one signal's path.
type door struct {
	server *server
	signal lenient.Signal
	taken  response
	open   func() request
}

func (d door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		answerPlain(w, http.StatusMethodNotAllowed, "method not allowed, supported: [POST]")
		return
	}
	f := formatOf(r.Header.Get("Content-Type"))
	if f == nil {
		answerPlain(w, http.StatusUnsupportedMediaType, "unsupported media type, supported: ["+asJSON.contentType+", "+asProtobuf.contentType+"]")
		return
	}
	body, err := io.ReadAll(r.Body)
	if closing := r.Body.Close(); err == nil {
		err = closing
	}
	if err != nil {
		answerError(w, f, err, http.StatusBadRequest)
		return
	}
	req := d.open()
	if err := d.decode(r.Context(), f, req, body); err != nil {
		answerError(w, f, err, http.StatusBadRequest)
		return
	}
	if err := req.deliver(r.Context()); err != nil {
		answerError(w, f, statusOf(err), http.StatusInternalServerError)
		return
	}
	msg, err := f.response(d.taken)
	if err != nil {
		answerError(w, f, err, http.StatusInternalServerError)
		return
	}
	answer(w, f.contentType, http.StatusOK, msg)
}

// errUndecoded says nothing of the body, as the decoder's own error would.
var errUndecoded = errors.New("must be a request in OTLP/JSON")

// decode reads a body, mended if need be. Its errors hold nothing of the body.
func (d door) decode(ctx context.Context, f *format, req request, body []byte) error {
	if f == asProtobuf {
		if err := lenient.CheckNesting(d.signal, body, d.server.config.MaxNesting); err != nil {
			return d.refuse(ctx, lenient.Nesting.String(), err)
		}
		if err := req.UnmarshalProto(body); err != nil {
			return d.refuse(ctx, reasonProtobuf, err)
		}
		return nil
	}
	fixed, counts, err := lenient.Repair(d.signal, body, d.server.config.MaxNesting)
	var fault *lenient.Fault
	if errors.As(err, &fault) {
		return d.refuse(ctx, fault.Reason.String(), err)
	}
	if err := req.UnmarshalJSON(fixed); err != nil {
		return d.refuse(ctx, lenient.Value.String(), errUndecoded)
	}
	d.server.telemetry.mended(ctx, counts)
	return nil
}

func (d door) refuse(ctx context.Context, reason string, err error) error {
	d.server.telemetry.refused(ctx, reason)
	d.server.set.Logger.Warn("a request was refused; its sender cannot mend it by sending it again", zap.String("reason", reason), zap.Error(err))
	return err
}
