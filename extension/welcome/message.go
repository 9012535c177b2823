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
	scheme := "http"
	if p.secure {
		scheme = "https"
	}
	switch {
	case p.http != "":
		fmt.Fprintf(&b, "  point an agent here   export OTEL_EXPORTER_OTLP_ENDPOINT=%s://%s OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\n", scheme, reachable(p.http))
	case p.grpc != "":
		fmt.Fprintf(&b, "  point an agent here   export OTEL_EXPORTER_OTLP_ENDPOINT=%s://%s OTEL_EXPORTER_OTLP_PROTOCOL=grpc\n", scheme, reachable(p.grpc))
	}
	if p.http != "" {
		fmt.Fprintf(&b, "  settings of an agent  %s connect AGENT%s\n", build.Command, connectFlags(scheme, p))
	}
	if p.token {
		b.WriteString("  with its token        export OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20TOKEN\n")
	}
	if p.clientCert {
		b.WriteString("  with its certificate  export OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=CERT.pem OTEL_EXPORTER_OTLP_CLIENT_KEY=KEY.pem\n")
	}
	if p.secure {
		b.WriteString("  if its CA is private  export OTEL_EXPORTER_OTLP_CERTIFICATE=CA.pem\n")
	}
	if p.http != "" && p.grpc != "" {
		fmt.Fprintf(&b, "  or by gRPC            %s\n", reachable(p.grpc))
	}
	if p.review != "" {
		scheme := "http"
		if p.reviewTLS {
			scheme = "https"
		}
		fmt.Fprintf(&b, "  review in a browser   %s://%s\n", scheme, reachable(p.review))
		if p.password {
			b.WriteString("  it asks for           any name, and a token as the password\n")
		}
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

// connectFlags are what the connect command has to be told; nothing where it would print
// the right settings by itself.
func connectFlags(scheme string, p places) string {
	flags := ""
	if at := scheme + "://" + reachable(p.http); at != "http://127.0.0.1:4318" {
		flags += " --endpoint " + at
	}
	if p.token {
		flags += " --token"
	}
	return flags
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
