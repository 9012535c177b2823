package evidence

import (
	"strconv"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func protocolOf(src Source, a Attrs, failed bool) Protocol {
	p := Protocol{
		Source:        src,
		Name:          a.Str(semconv.AppProtocolName),
		Peer:          a.Str(semconv.ServerAddress),
		Requested:     a.Str(semconv.AppProtocolVersionRequested),
		Negotiated:    a.Str(semconv.AppProtocolVersionNegotiated),
		Degraded:      a.Strings(semconv.AppProtocolDegraded),
		ExternalTask:  a.Str(semconv.AppExternalTaskID),
		ExternalState: a.Str(semconv.AppExternalTaskState),
		ErrorLayer:    a.Str(semconv.AppErrorLayer),
		Failed:        failed,
	}
	mcp := speaksMCP(a)
	if p.Name == "" && mcp {
		p.Name = semconv.AppProtocolNameMCP
	}
	if p.Name == "" && (p.ExternalTask != "" || p.ExternalState != "") {
		p.Name = semconv.AppProtocolNameA2A
	}
	if p.Negotiated == "" && p.Name == semconv.AppProtocolNameMCP {
		p.Negotiated = a.Str(semconv.MCPProtocolVersion)
	}
	if port, ok := a.Int(semconv.ServerPort); ok && p.Peer != "" {
		p.Peer += ":" + strconv.FormatInt(port, 10)
	}
	return p
}

func speaksMCP(a Attrs) bool {
	return a.Str(semconv.MCPMethodName) != "" || a.Str(semconv.MCPProtocolVersion) != "" || a.Str(semconv.MCPSessionID) != ""
}

func extensionOf(src Source, a Attrs) Extension {
	x := Extension{
		Source:     src,
		Kind:       a.Str(semconv.AppExtensionKind),
		ID:         a.Str(semconv.AppExtensionID),
		Version:    a.Str(semconv.AppExtensionVersion),
		Hash:       a.Str(semconv.AppExtensionHash),
		Origin:     a.Str(semconv.AppExtensionSource),
		Scope:      a.Str(semconv.AppExtensionScope),
		Decision:   a.Str(semconv.AppExtensionDecision),
		FailPolicy: a.Str(semconv.AppExtensionFailPolicy),
		ToolCallID: a.Str(semconv.GenAIToolCallID),
	}
	guard, stated := a.Bool(semconv.AppExtensionGuard)
	x.Guard = guard || !stated && x.Kind == semconv.AppExtensionKindHook
	return x
}
