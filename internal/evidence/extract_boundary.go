package evidence

import (
	"strconv"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func protocolOf(src Source, r *row, failed bool) Protocol {
	p := Protocol{
		Source:        src,
		Name:          r.str(slotProtocol),
		Peer:          r.str(slotPeer),
		Requested:     r.str(slotRequested),
		Negotiated:    r.str(slotNegotiated),
		Degraded:      r.attrs.Strings(semconv.AppProtocolDegraded),
		ExternalTask:  r.str(slotExternalTask),
		ExternalState: r.str(slotExternalState),
		ErrorLayer:    knownLayer(r.str(slotErrorLayer)),
		Failed:        failed,
	}
	mcp := r.speaksMCP()
	if p.Name == "" && mcp {
		p.Name = semconv.AppProtocolNameMCP
	}
	if p.Name == "" && (p.ExternalTask != "" || p.ExternalState != "") {
		p.Name = semconv.AppProtocolNameA2A
	}
	if p.Negotiated == "" && p.Name == semconv.AppProtocolNameMCP {
		p.Negotiated = r.str(slotMCPVersion)
	}
	if p.Peer == "" {
		return p
	}
	if port, ok := r.attrs.Int(semconv.ServerPort); ok {
		p.Peer += ":" + strconv.FormatInt(port, 10)
	}
	return p
}

func speaksMCP(a Attrs) bool {
	return a.Str(semconv.MCPMethodName) != "" || a.Str(semconv.MCPProtocolVersion) != "" || a.Str(semconv.MCPSessionID) != ""
}

func (r *row) speaksMCP() bool {
	return r.str(slotMCPMethod) != "" || r.str(slotMCPVersion) != "" || r.str(slotMCPSession) != ""
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
	x.Guard, x.guardStated = guard || !stated && x.Kind == semconv.AppExtensionKindHook, stated
	return x
}
