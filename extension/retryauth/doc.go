// Package retryauth is an extension that lets an exporter send again what the other
// side refused because it did not accept the credentials.
//
// Words:
//
//   - middleware: what an exporter for HTTP or gRPC names in its own `middlewares`
//   - refusal: 401 or 403 of HTTP, Unauthenticated or PermissionDenied of gRPC
//
// OTLP calls a refusal permanent, so an exporter drops the data, in its queue or not.
// But a token that was changed on one side first is wrong for minutes, not for
// good; and who retries is told each time. How long is the exporter's retry_on_failure.
//
// It holds no credentials and does not look at what is sent.
package retryauth
