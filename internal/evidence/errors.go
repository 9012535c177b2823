package evidence

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// errorKind says what an error tells about the outcome of the failed call.
type errorKind uint8

const (
	noError       errorKind = iota
	ownError                // the called side refused or broke: nothing was done
	lostError               // the answer was lost: the outcome is unknown
	unsentError             // the request never left
	deniedError             // the called side wants other credentials
	canceledError           // the caller stopped waiting: the outcome is unknown
)

// spanFailed reports whether the span is in error. An error.type alone is not
// enough: a verdict span carries one when the evaluation broke.
func spanFailed(s *Span) bool { return s.Status == StatusError }

// errorKindOf tells how a span ended: it reads error.type, then the status codes of the transport, then
// the class of a recorded exception.
func errorKindOf(s *Span) errorKind {
	if !spanFailed(s) && (s.Status == StatusOK || s.Attrs.Str(semconv.ErrorType) == "") {
		return noError
	}
	for _, word := range errorWords(s) {
		if k := kindOfWord(word); k != ownError {
			return k
		}
	}
	return ownError
}

// authorizationError reports whether any protocol refused for want of a right,
// whatever the status of the span is.
func authorizationError(s *Span) bool {
	for _, word := range errorWords(s) {
		if kindOfWord(word) == deniedError {
			return true
		}
	}
	return false
}

func errorWords(s *Span) []string {
	var words [4]string
	out := append(words[:0], s.Attrs.Str(semconv.ErrorType))
	if code, ok := s.Attrs.Int(semconv.HTTPResponseStatusCode); ok && code >= 400 {
		out = append(out, strconv.FormatInt(code, 10))
	}
	if code := s.Attrs.Str(semconv.RPCResponseStatusCode); code != "" {
		out = append(out, code)
	}
	if out[0] == "" {
		for i := range s.Events {
			if t := s.Events[i].Attrs.Str(semconv.ExceptionType); t != "" {
				out = append(out, t)
			}
		}
	}
	return out
}

var wordParts = []struct {
	kind  errorKind
	parts []string
}{
	{unsentError, []string{"connectionrefused", "connectrefused", "namenotresolved", "nosuchhost", "nameresolution",
		"gaierror", "unknownhost", "hostnotfound", "dnslookup", "dnserror"}},
	{canceledError, []string{"cancelled", "canceled", "cancellation"}},
	{lostError, []string{"timeout", "timedout", "deadlineexceeded", "connectionreset", "connectionclosed",
		"connectionaborted", "streamclosed", "streamreset", "brokenpipe", "unavailable", "badgateway",
		"remotedisconnected"}},
	{deniedError, []string{"permissiondenied", "unauthenticated", "unauthorized", "unauthorised", "forbidden", "accessdenied",
		"authrequired", "authenticationerror", "authenticationrequired", "authorizationrequired", "insufficientscope"}},
}

// errnos are matched as whole words: FileNotFoundError holds one of them.
var errnos = map[string]errorKind{
	"econnrefused": unsentError, "enotfound": unsentError, "eai_again": unsentError, "eai_noname": unsentError,
	"econnreset": lostError, "econnaborted": lostError, "epipe": lostError, "etimedout": lostError,
}

func kindOfWord(word string) errorKind {
	switch word {
	case "":
		return ownError
	case "401", "403":
		return deniedError
	case "408", "502", "503", "504":
		return lostError
	}
	for _, part := range strings.FieldsFunc(word, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if k, ok := errnos[strings.ToLower(part)]; ok {
			return k
		}
	}
	w := squeeze(word)
	for _, p := range wordParts {
		for _, part := range p.parts {
			if strings.Contains(w, part) {
				return p.kind
			}
		}
	}
	return ownError
}

// squeeze drops case and separators: DEADLINE_EXCEEDED, deadline exceeded and
// DeadlineExceeded are one word.
func squeeze(word string) string {
	var b strings.Builder
	b.Grow(len(word))
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c >= 'A' && c <= 'Z':
			b.WriteByte(c + 'a' - 'A')
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteByte(c)
		}
	}
	return b.String()
}
