package review

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configauth"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/extension/extensiontest"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// doorHost has one extension: an authenticator that lets one token in.
type doorHost struct{ component.Host }

type door struct {
	component.StartFunc
	component.ShutdownFunc
}

func (door) Authenticate(ctx context.Context, headers map[string][]string) (context.Context, error) {
	for name, values := range headers {
		if strings.EqualFold(name, "authorization") && len(values) == 1 && values[0] == "Bearer good" {
			return ctx, nil
		}
	}
	return ctx, errors.New("no")
}

var doorID = component.MustNewID("door")

func (doorHost) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{doorID: door{}}
}

func free(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// started is an extension over a store with one run, and its address.
func started(t *testing.T, host component.Host, change func(*Config)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "evidence.db")
	w, err := sqlite.Open(path, sqlite.Settings{})
	require.NoError(t, err)
	at := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC).UnixNano()
	_, err = w.Write(t.Context(), evidence.Batch{Spans: []evidence.Span{{ID: evidence.StepID{Trace: evidence.TraceID{1}, Span: evidence.SpanID{1}}, Start: at, End: at, Attrs: evidence.Attrs{"app.task.id": "t-secret"}}}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	cfg := createDefaultConfig().(*Config)
	cfg.ServerConfig.NetAddr.Endpoint = free(t)
	cfg.Store = configopaque.String(path)
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	ext, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(NewFactory().Type()), cfg)
	require.NoError(t, err)
	require.NoError(t, ext.Start(t.Context(), host))
	t.Cleanup(func() { require.NoError(t, ext.Shutdown(context.Background())) })
	return "http://" + cfg.ServerConfig.NetAddr.Endpoint
}

func ask(t *testing.T, url, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(body)
}

func TestServesOnLoopbackWithoutAuth(t *testing.T) {
	at := started(t, componenttest.NewNopHost(), nil)
	code, body := ask(t, at+"/tasks", "")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "t-secret")
	code, _ = ask(t, at+"/api/v1/tasks/t-secret", "")
	require.Equal(t, http.StatusOK, code)
}

// No address answers somebody who is not let in, not even with a style sheet.
func TestAuthIsAskedOnEveryAddress(t *testing.T) {
	at := started(t, doorHost{componenttest.NewNopHost()}, func(c *Config) {
		c.ServerConfig.Auth = configoptional.Some(confighttp.AuthConfig{Config: configauth.Config{AuthenticatorID: doorID}})
		c.MCP.Enabled = true
	})
	for _, path := range []string{"/", "/tasks", "/tasks/t-secret", "/tasks/t-secret/graph", "/tasks/t-secret/report", "/static/app.css", "/static/app.js", "/policy", "/evaluations", "/quality", "/health",
		"/sessions/x", "/search?q=t-secret", "/traces/01000000000000000000000000000000", "/api/v1/tasks", "/api/v1/tasks/t-secret", "/api/v1/search?q=t-secret", "/api/v1/health", "/api/v1/openapi.yaml", "/mcp", "/nothing"} {
		for _, token := range []string{"", "bad"} {
			code, body := ask(t, at+path, token)
			require.Equal(t, http.StatusUnauthorized, code, path)
			require.NotContains(t, body, "t-secret", path)
		}
		code, _ := ask(t, at+path, "good")
		require.NotEqual(t, http.StatusUnauthorized, code, path)
	}
}

// Every answer is private and dead, also one of the door and one to a browser that
// asks for another site.
func TestEveryAnswerIsSecured(t *testing.T) {
	at := started(t, doorHost{componenttest.NewNopHost()}, func(c *Config) {
		c.ServerConfig.Auth = configoptional.Some(confighttp.AuthConfig{Config: configauth.Config{AuthenticatorID: doorID}})
		cors := confighttp.NewDefaultCORSConfig()
		cors.AllowedOrigins = []string{"https://other.example"}
		c.ServerConfig.CORS = configoptional.Some(cors)
	})
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions} {
		for _, path := range []string{"/tasks", "/static/app.css", "/nothing", "/api/v1/tasks", "/api/v1/openapi.yaml", "/tasks?bad", "//tasks"} {
			for _, token := range []string{"", "Bearer good"} {
				req, err := http.NewRequestWithContext(t.Context(), method, at+path, http.NoBody)
				require.NoError(t, err)
				req.Header.Set("Origin", "https://other.example")
				req.Header.Set("Access-Control-Request-Method", http.MethodGet)
				if token != "" {
					req.Header.Set("Authorization", token)
				}
				res, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req)
				require.NoError(t, err)
				require.NoError(t, res.Body.Close())
				require.Contains(t, res.Header.Get("Content-Security-Policy"), "default-src 'none'", "%s %s %d", method, path, res.StatusCode)
				require.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"))
				require.Equal(t, "no-referrer", res.Header.Get("Referrer-Policy"))
				require.Contains(t, []string{"no-store", "private, max-age=86400"}, res.Header.Get("Cache-Control"))
			}
		}
	}
}

// A browser is told to ask for a password, which is the token; a client that has one
// sends it as it always did.
func TestABrowserAsksForTheToken(t *testing.T) {
	behind := func(password bool) string {
		return started(t, doorHost{componenttest.NewNopHost()}, func(c *Config) {
			c.ServerConfig.Auth = configoptional.Some(confighttp.AuthConfig{Config: configauth.Config{AuthenticatorID: doorID}})
			c.TokenAsPassword = password
		})
	}
	request := func(url, password string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		require.NoError(t, err)
		if password != "" {
			req.SetBasicAuth("anybody", password)
		}
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res
	}
	at := behind(true)
	for _, password := range []string{"", "bad"} {
		res := request(at+"/tasks", password)
		require.Equal(t, http.StatusUnauthorized, res.StatusCode)
		require.Equal(t, []string{`Basic realm="review", charset="UTF-8"`, `Bearer realm="review"`}, res.Header.Values("WWW-Authenticate"))
		require.Contains(t, res.Header.Get("Content-Security-Policy"), "default-src 'none'")
		require.Equal(t, "application/problem+json", request(at+"/api/v1/tasks", password).Header.Get("Content-Type"))
	}
	require.Equal(t, http.StatusOK, request(at+"/tasks", "good").StatusCode)
	code, _ := ask(t, at+"/tasks", "good")
	require.Equal(t, http.StatusOK, code)

	res := request(behind(false)+"/tasks", "good")
	require.Equal(t, http.StatusUnauthorized, res.StatusCode, "a password is taken for a token only where that is set")
	require.Equal(t, []string{`Bearer realm="review"`}, res.Header.Values("WWW-Authenticate"))
}

// withToken is a transport that sends a token.
type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// An agent gets in by the door of the pages, and by no other.
func TestAgentsShowWhoTheyAre(t *testing.T) {
	at := started(t, doorHost{componenttest.NewNopHost()}, func(c *Config) {
		c.ServerConfig.Auth = configoptional.Some(confighttp.AuthConfig{Config: configauth.Config{AuthenticatorID: doorID}})
		c.MCP.Enabled = true
	})
	connect := func(client *http.Client) (*mcp.ClientSession, error) {
		return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: at + "/mcp", HTTPClient: client, MaxRetries: -1}, nil)
	}
	for _, client := range []*http.Client{http.DefaultClient, {Transport: withToken("bad")}} {
		_, err := connect(client)
		require.ErrorContains(t, err, "Unauthorized")
	}
	session, err := connect(&http.Client{Transport: withToken("good")})
	require.NoError(t, err)
	defer session.Close()
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_report", Arguments: map[string]any{"id": "t-secret"}})
	require.NoError(t, err)
	require.False(t, res.IsError)
	require.Contains(t, res.Content[0].(*mcp.TextContent).Text, "t-secret")
}

// Agents are not served unless that is set.
func TestAgentsAreNotServedByThemselves(t *testing.T) {
	at := started(t, componenttest.NewNopHost(), nil)
	code, _ := ask(t, at+"/mcp", "")
	require.Equal(t, http.StatusNotFound, code)
}

func TestHealthShowsTheCollectorsMetrics(t *testing.T) {
	metrics := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "otelcol_exporter_queue_size{exporter=\"otlp_http/upstream\"} 3\notelcol_exporter_queue_capacity{exporter=\"otlp_http/upstream\"} 10\n"+
			"otelcol_receiver_refused_spans{receiver=\"otlp\"} 7\n")
	}))
	defer metrics.Close()
	at := started(t, componenttest.NewNopHost(), func(c *Config) { c.MetricsEndpoint = metrics.URL })
	_, body := ask(t, at+"/health", "")
	require.Contains(t, body, "receiver_refused_spans")
	require.Contains(t, body, "3 of 10")
	metrics.Close()
	at = started(t, componenttest.NewNopHost(), func(c *Config) { c.MetricsEndpoint = metrics.URL })
	_, body = ask(t, at+"/health", "")
	require.Contains(t, body, "not known")
}

func TestStartsBeforeItsStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "later.db")
	at := started(t, componenttest.NewNopHost(), func(c *Config) { c.Store = configopaque.String(path) })
	code, _ := ask(t, at+"/tasks", "")
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.NoFileExists(t, path)
	w, err := sqlite.Open(path, sqlite.Settings{})
	require.NoError(t, err)
	defer w.Close()
	code, _ = ask(t, at+"/tasks", "")
	require.Equal(t, http.StatusOK, code)
}

func TestPortInUse(t *testing.T) {
	at := started(t, componenttest.NewNopHost(), nil)
	cfg := createDefaultConfig().(*Config)
	cfg.ServerConfig.NetAddr.Endpoint = strings.TrimPrefix(at, "http://")
	cfg.Store = configopaque.String(filepath.Join(t.TempDir(), "x.db"))
	ext, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(NewFactory().Type()), cfg)
	require.NoError(t, err)
	var taken *net.OpError
	require.ErrorAs(t, ext.Start(t.Context(), componenttest.NewNopHost()), &taken)
	require.NoError(t, ext.Shutdown(t.Context()))
	require.NoFileExists(t, string(cfg.Store))
	_, err = os.Stat(string(cfg.Store))
	require.ErrorIs(t, err, os.ErrNotExist)
}
