package welcome

import (
	"fmt"
	"net"
	"strings"

	"go.opentelemetry.io/collector/component"
)

// message is what a person sees. Commands name the store only where they would
// not find it by themselves in another terminal.
func message(build component.BuildInfo, p places) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s is ready.\n", build.Command, build.Version)
	switch {
	case p.http != "":
		scheme := "http"
		if p.httpTLS {
			scheme = "https"
		}
		fmt.Fprintf(&b, "  point an agent here   export OTEL_EXPORTER_OTLP_ENDPOINT=%s://%s OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\n", scheme, reachable(p.http))
		if p.grpc != "" {
			fmt.Fprintf(&b, "  or by gRPC            %s\n", reachable(p.grpc))
		}
	case p.grpc != "":
		fmt.Fprintf(&b, "  point an agent here   export OTEL_EXPORTER_OTLP_ENDPOINT=http://%s OTEL_EXPORTER_OTLP_PROTOCOL=grpc\n", reachable(p.grpc))
	}
	store := ""
	if p.named {
		store = " --store " + quote(p.store)
	}
	fmt.Fprintf(&b, "  list the tasks        %s tasks%s\n", build.Command, store)
	fmt.Fprintf(&b, "  look at one           %s task ID%s\n", build.Command, store)
	fmt.Fprintf(&b, "  evidence is kept in   %s\n", p.store)
	return b.String()
}

// reachable turns an address that means every interface into one to connect to.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return address
}

// quote makes a path one word of a shell.
func quote(path string) string {
	if !strings.ContainsAny(path, " '\"$`\\&|;<>()*?[]#~=%!{}\t\n") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
