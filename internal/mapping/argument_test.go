package mapping

import "testing"

// What a call of a tool that nobody listed does and acts on.
func TestArgumentsSayWhatACallDoes(t *testing.T) {
	words, err := builtinEffects()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tool, args, class, target string }{
		{"run_query", `{"sql": "SELECT id FROM shop.orders WHERE mail = 'a@b.c'"}`, "read", "table:shop.orders"},
		{"run_query", `{"sql": "insert into orders(id) values (1)"}`, "write", "table:orders"},
		{"run_query", `{"sql": "UPDATE orders SET x = 1"}`, "write", "table:orders"},
		{"run_query", `{"sql": "DELETE FROM \"orders\";"}`, "destructive", "table:orders"},
		{"run_query", `{"sql": "drop table if exists orders"}`, "destructive", "table:orders"},
		{"run_query", `{"sql": "select 1; drop table orders"}`, "destructive", ""},
		{"run_query", `{"sql": "with x as (delete from y) select 1"}`, "unknown", ""},
		{"postgres_query", `{"query": "truncate table orders"}`, "destructive", "table:orders"},
		{"web_search", `{"query": "delete from my life"}`, "unknown", ""},
		{"fetch", `{"url": "https://user:secret@API.shop.example:8443/v1/x?token=abc", "method": "get"}`, "read", "host:api.shop.example"},
		{"fetch", `{"url": "https://api.shop.example/v1", "method": "POST"}`, "external", "host:api.shop.example"},
		{"fetch", `{"url": "https://api.shop.example/v1", "method": "DELETE"}`, "destructive", "host:api.shop.example"},
		{"fetch", `{"url": "https://api.shop.example/v1"}`, "unknown", "host:api.shop.example"},
		{"fetch", `{"url": "https://203.0.113.9/v1", "method": "PUT"}`, "external", ""},
		{"fetch", `{"url": "https://8f14e45fceea167a5a36dedd4bea2543aaaaaaaaaa.tunnel.example/"}`, "unknown", ""},
		{"fetch", `{"url": "alice@example.org"}`, "unknown", ""},
		{"edit", `{"path": "/home/alice/secret.txt"}`, "unknown", "file:digest of 22"},
		{"edit", `not json`, "unknown", ""},
	} {
		if got := words.class(c.tool, []string{c.args}, 0); got != c.class {
			t.Errorf("%s %s: class %s, want %s", c.tool, c.args, got, c.class)
		}
		digest := func(text string) string {
			return digestPrefix + "digest of " + string(rune('0'+len(text)/10)) + string(rune('0'+len(text)%10))
		}
		if got := words.target(c.tool, []string{c.args}, digest); got != c.target {
			t.Errorf("%s %s: target %q, want %q", c.tool, c.args, got, c.target)
		}
	}
}
