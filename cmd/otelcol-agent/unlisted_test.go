package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExtensionsThatAreNotListed(t *testing.T) {
	said := strictSays(t, `
extensions:
  welcome:
  file_storage/queue: {directory: /tmp}
  file_storage/idle: {directory: /tmp}
  bearertokenauth/door: {token: sixteen-characters}
  retryauth:
receivers:
  lenientotlp: {auth: {authenticator: bearertokenauth/door}}
exporters:
  otlp_http: {endpoint: "http://127.0.0.1:1", middlewares: [{id: retryauth}], sending_queue: {storage: file_storage/queue}}
  otlp_http/idle: {endpoint: "http://127.0.0.1:1", sending_queue: {storage: file_storage/idle}}
service:
  extensions: [welcome]
  pipelines:
    traces: {receivers: [lenientotlp], exporters: [otlp_http]}
    logs: {receivers: [lenientotlp], exporters: [otlp_http]}
`)
	require.Equal(t, []string{
		"exporters::otlp_http::middlewares::0::id names retryauth, which service::extensions does not list",
		"exporters::otlp_http::sending_queue::storage names file_storage/queue, which service::extensions does not list",
		"receivers::lenientotlp::auth::authenticator names bearertokenauth/door, which service::extensions does not list",
	}, said, "once each, and nothing of what does not run")
}
