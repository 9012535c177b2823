package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The decoder would read each of these as another number.
func TestNumbersThatWouldBeReadAsOthers(t *testing.T) {
	said := strictSays(t, `
receivers:
  otlp: {protocols: {grpc: {endpoint: "127.0.0.1:1", max_recv_msg_size_mib: 4.5}}}
processors:
  tailpolicy: {protect: {error: {at_least: 1.5}}, memory_mib: 64.2, storage: {directory: x, max_mib: 1.e+30}, decision_wait: 1.5}
  batch: {send_batch_size: -1, send_batch_max_size: 4294967296}
exporters:
  otlp_grpc: {endpoint: "127.0.0.1:1", sending_queue: {num_consumers: 2.5, batch: {min_size: .nan}}}
`)
	require.Equal(t, []string{
		"receivers::otlp::protocols::grpc::max_recv_msg_size_mib must be a whole number, found 4.5",
		"processors::batch::send_batch_size is not in the range of this key, found -1",
		"processors::batch::send_batch_max_size is not in the range of this key, found 4294967296",
		"processors::tailpolicy::decision_wait must be a duration with its unit, such as 1.5s, found 1.5",
		"processors::tailpolicy::protect::error::at_least must be a whole number, found 1.5",
		"processors::tailpolicy::memory_mib must be a whole number, found 64.2",
		"processors::tailpolicy::storage::max_mib is not in the range of this key, found 1e+30",
		"exporters::otlp_grpc::sending_queue::num_consumers must be a whole number, found 2.5",
		"exporters::otlp_grpc::sending_queue::batch::min_size must be a whole number, found NaN",
	}, said)
}

func TestWholeNumbersMayBeWrittenAsDoubles(t *testing.T) {
	require.NoError(t, strictError(t, `
processors:
  tailpolicy: {protect: {error: {at_least: 2.0}}, memory_mib: 64.0, slow: {percentile: 0.95}, decision_wait: 1s}
  batch: {send_batch_size: 8192}
`))
}
