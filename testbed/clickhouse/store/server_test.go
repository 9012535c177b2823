package store

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// What clients rely on, beside what the driver uses.
func TestServerSpeaksHTTP(t *testing.T) {
	server := instance.Start(t)
	ask := func(auth func(*http.Request), parameters, query string) (int, string, string) {
		t.Helper()
		req, err := http.NewRequest(http.MethodPost, "http://"+server.Addr+"/?"+parameters, strings.NewReader(query))
		if err != nil {
			t.Fatal(err)
		}
		auth(req)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return 0, "", ""
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return res.StatusCode, res.Header.Get("X-ClickHouse-Exception-Code"), string(body)
	}
	writer := func(r *http.Request) { r.SetBasicAuth(instance.Writer, instance.WriterPassword) }
	token := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	headers := func(r *http.Request) {
		r.Header.Set("X-ClickHouse-User", instance.Reader)
		r.Header.Set("X-ClickHouse-Key", instance.ReaderPassword)
	}
	for name, c := range map[string]struct {
		auth              func(*http.Request)
		parameters, query string
		status            int
		code, says        string
	}{
		"basic":                   {writer, "", "SELECT 'yes'", 200, "", "yes"},
		"token":                   {token(instance.Token), "", "SELECT 'yes'", 200, "", "yes"},
		"headers":                 {headers, "", "SELECT 'yes'", 200, "", "yes"},
		"wrong token":             {token("other"), "", "SELECT 1", 403, "516", "AUTHENTICATION_FAILED"},
		"nobody":                  {func(*http.Request) {}, "", "SELECT 1", 403, "516", "AUTHENTICATION_FAILED"},
		"reader writes":           {headers, "", "CREATE DATABASE x", 403, "164", "READONLY"},
		"reader becomes a writer": {headers, "readonly=0", "SELECT 1", 403, "164", "READONLY"},
		"syntax":                  {writer, "", "SELEC 1", 400, "62", "SYNTAX_ERROR"},
		"no such table":           {writer, "", "SELECT 1 FROM system.nothing", 404, "60", "UNKNOWN_TABLE"},
		"no such database":        {writer, "database=nothing", "SELECT 1", 404, "81", "UNKNOWN_DATABASE"},
		"no such setting":         {writer, "nothing_like_it=1", "SELECT 1", 400, "115", "nothing_like_it"},
		"a setting":               {writer, "max_threads=3", "SELECT concat('set to ', toString(getSetting('max_threads')))", 200, "", "set to 3"},
		"a setting of before":     {writer, "", "SELECT concat('threads ', toString(getSetting('max_threads') = 3))", 200, "", "threads 0"},
		"data that is no block":   {writer, "query=" + url.QueryEscape("INSERT INTO system.nothing FORMAT CSV"), "1", 500, "73", "UNKNOWN_FORMAT"},
	} {
		status, code, body := ask(c.auth, c.parameters, c.query)
		if status != c.status || code != c.code || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d, code %s, %q; want %d, code %s, %q", name, status, code, body, c.status, c.code, c.says)
		}
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if status, _, body := ask(writer, "max_threads=2", "SELECT concat('sum ', toString(sum(number))) FROM numbers(1000000)"); status != 200 || !strings.Contains(body, "sum 499999500000") {
				t.Errorf("one of many at once: %d %q", status, body)
			}
		})
	}
	wg.Wait()
}
