package lenient

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
)

// What gRPC takes is decoded before anything of ours sees it, so only its size keeps
// a request of nothing but nesting from ending the process: presets set
// max_recv_msg_size_mib to what the decoder survives. A stack of Go may grow to a
// 1e9 bytes; both are made sixteen times smaller here.
const (
	survivedMiB = 8
	scale       = 16
	childSize   = "OTELCOL_AGENT_TEST_DEEP"
)

func TestTheDecoderSurvivesWhatGRPCTakes(t *testing.T) {
	if size, err := strconv.Atoi(os.Getenv(childSize)); err == nil {
		debug.SetMaxStack(1_000_000_000 / scale)
		_ = plogotlp.NewExportRequest().UnmarshalProto(deepestProtobuf(size))
		return
	}
	if underRace {
		t.Skip("the race detector needs more stack than what is shipped")
	}
	decode := func(size int) (string, error) {
		child := exec.Command(os.Args[0], "-test.run=^TestTheDecoderSurvivesWhatGRPCTakes$")
		child.Env = append(os.Environ(), childSize+"="+strconv.Itoa(size))
		out, err := child.CombinedOutput()
		return string(bytes.TrimSpace(out[:min(len(out), 200)])), err
	}
	said, err := decode(survivedMiB << 20 / scale)
	require.NoError(t, err, said)
	said, err = decode(20 << 20 / scale)
	require.Error(t, err, "the decoder bounds nesting itself: the limits of presets and this test may go")
	require.Contains(t, said, "stack")
}

// deepestProtobuf has as many messages in each other as a body of that size can.
func deepestProtobuf(size int) []byte {
	buf, length := make([]byte, size), make([]byte, binary.MaxVarintLen64)
	start := size
	put := func(tag byte) {
		n := binary.PutUvarint(length, uint64(size-start))
		start -= n + 1
		buf[start] = tag
		copy(buf[start+1:], length[:n])
	}
	for start > 30 {
		put(0x0a) // a value of an array
		put(0x2a) // an array of a value
	}
	for _, tag := range []byte{0x2a, 0x12, 0x12, 0x0a} { // body, record, scope, resource
		put(tag)
	}
	return buf[start:]
}
