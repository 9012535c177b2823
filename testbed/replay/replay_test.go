package replay

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFolderIsReadInOrderOfNames(t *testing.T) {
	dir := t.TempDir()
	for name, body := range map[string]string{
		"02.json": `{"resourceLogs":[]}`, "01.json": `{"resourceSpans":[]}`, "03.json": `{"resourceMetrics":[]}`, "note.txt": "x",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600))
	}
	requests, err := Read(dir)
	require.NoError(t, err)
	var signals []string
	for _, r := range requests {
		signals = append(signals, r.Signal)
	}
	require.Equal(t, []string{"traces", "logs", "metrics"}, signals)
}

func TestWhatIsNoRequestIsRefused(t *testing.T) {
	_, err := Parse("a.json", []byte(`{"spans":[]}`))
	require.ErrorContains(t, err, "a.json: must have a key resourceSpans")
	_, err = Parse("a.json", []byte(`{`))
	require.ErrorContains(t, err, "a.json")
	_, err = Read(t.TempDir())
	require.ErrorContains(t, err, "holds no .json file")
	_, err = Read(filepath.Join(t.TempDir(), "absent"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestSendTellsWhatWasNotAccepted(t *testing.T) {
	status, answer := 200, "{}"
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.URL.Path + " " + r.Header.Get("Content-Type") + " " + string(body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	request := Request{Path: "a.json", Signal: "logs", Body: []byte(`{"resourceLogs":[]}`)}

	require.NoError(t, Send(context.Background(), server.URL+"/", request))
	require.Equal(t, `/v1/logs application/json {"resourceLogs":[]}`, got)
	status = 503
	require.ErrorContains(t, SendAll(context.Background(), server.URL, []Request{request}), "a.json: answered 503")
	status, answer = 200, `{"partialSuccess":{"rejectedLogRecords":"1"}}`
	require.ErrorContains(t, Send(context.Background(), server.URL, request), "accepted in part")
	answer = `<html>`
	require.ErrorContains(t, Send(context.Background(), server.URL, request), "a.json: answer")
	server.Close()
	require.Error(t, Send(context.Background(), server.URL, request))
}
