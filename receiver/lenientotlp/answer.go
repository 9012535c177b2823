package lenientotlp

import (
	"mime"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// format is how a request and its answer are written.
type format struct {
	contentType string
	status      func(proto.Message) ([]byte, error)
	response    func(response) ([]byte, error)
}

var (
	asProtobuf = &format{"application/x-protobuf", proto.Marshal, response.MarshalProto}
	asJSON     = &format{"application/json", protojson.Marshal, response.MarshalJSON}
)

// formatOf reads a Content-Type, nil for one that is not served.
func formatOf(contentType string) *format {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil
	}
	for _, f := range []*format{asProtobuf, asJSON} {
		if media == f.contentType {
			return f
		}
	}
	return nil
}

// statusOf makes the error of a pipeline one that says whether to send again: it is,
// unless it is permanent or says so itself.
func statusOf(err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	if consumererror.IsPermanent(err) {
		return status.Error(codes.Internal, err.Error())
	}
	return status.Error(codes.Unavailable, err.Error())
}

// The two sides of the mapping of OTLP and gRPC between statuses of HTTP and codes.
var (
	codeOf = map[int]codes.Code{
		http.StatusBadRequest:         codes.InvalidArgument,
		http.StatusUnauthorized:       codes.Unauthenticated,
		http.StatusForbidden:          codes.PermissionDenied,
		http.StatusNotFound:           codes.Unimplemented,
		http.StatusTooManyRequests:    codes.ResourceExhausted,
		http.StatusBadGateway:         codes.Unavailable,
		http.StatusServiceUnavailable: codes.Unavailable,
		http.StatusGatewayTimeout:     codes.Unavailable,
	}
	httpOf = map[codes.Code]int{
		codes.Canceled:          http.StatusServiceUnavailable,
		codes.DeadlineExceeded:  http.StatusServiceUnavailable,
		codes.Aborted:           http.StatusServiceUnavailable,
		codes.OutOfRange:        http.StatusServiceUnavailable,
		codes.Unavailable:       http.StatusServiceUnavailable,
		codes.DataLoss:          http.StatusServiceUnavailable,
		codes.ResourceExhausted: http.StatusTooManyRequests,
		codes.InvalidArgument:   http.StatusBadRequest,
		codes.Unauthenticated:   http.StatusUnauthorized,
		codes.PermissionDenied:  http.StatusForbidden,
		codes.Unimplemented:     http.StatusNotFound,
	}
)

func statusFor(message string, code int) *status.Status {
	c, ok := codeOf[code]
	if !ok {
		c = codes.Unknown
	}
	return status.New(c, message)
}

// answerError answers with a status; the error's own code wins over the one given.
func answerError(w http.ResponseWriter, f *format, err error, code int) {
	s, ok := status.FromError(err)
	if !ok {
		s = statusFor(err.Error(), code)
	} else if code, ok = httpOf[s.Code()]; !ok {
		code = http.StatusInternalServerError
	}
	answerStatus(w, f, s, code)
}

// answerRefusal answers for confighttp: authentication, and bodies that cannot be
// decompressed.
func answerRefusal(w http.ResponseWriter, r *http.Request, message string, code int) {
	contentType := r.Header.Get("Content-Type")
	f := formatOf(contentType)
	if contentType == "" {
		f = asJSON
	}
	if f == nil {
		answerUnwritable(w)
		return
	}
	answerStatus(w, f, statusFor(message, code), code)
}

func answerStatus(w http.ResponseWriter, f *format, s *status.Status, code int) {
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
		for _, detail := range s.Details() {
			if retry, ok := detail.(*errdetails.RetryInfo); ok {
				w.Header().Set("Retry-After", strconv.FormatInt(int64(retry.GetRetryDelay().AsDuration()/time.Second), 10))
				break
			}
		}
	}
	msg, err := f.status(s.Proto())
	if err != nil {
		answerUnwritable(w)
		return
	}
	answer(w, f.contentType, code, msg)
}

// answerUnwritable is the answer where the right one cannot be written.
func answerUnwritable(w http.ResponseWriter) {
	answer(w, asJSON.contentType, http.StatusInternalServerError, []byte(`{"code": 13, "message": "failed to marshal error message"}`))
}

func answerPlain(w http.ResponseWriter, code int, text string) {
	answer(w, "text/plain", code, []byte(strconv.Itoa(code)+" "+text))
}

// answer writes; to a peer that is gone there is nothing to say.
func answer(w http.ResponseWriter, contentType string, code int, msg []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(code)
	_, _ = w.Write(msg)
}
