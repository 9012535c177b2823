package clickhouse

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// layout is what the schema's text depends on beside its files.
type layout struct {
	database string
	cluster  string // "" for one server
	// How long rows are kept by the server itself; 0 is for ever.
	evidence, records time.Duration
}

// Names of a table: without a cluster both are one. On a cluster rows are in
// NAME_local on each server, and NAME spreads them over all.
func (l layout) spread(table string) string { return quoteName(l.database) + "." + quoteName(table) }

func (l layout) stored(table string) string {
	if l.cluster == "" {
		return l.spread(table)
	}
	return l.spread(table + "_local")
}

func (l layout) onCluster() string {
	if l.cluster == "" {
		return ""
	}
	return " ON CLUSTER " + quoteName(l.cluster)
}

func (l layout) engine(kind, args string) string {
	if l.cluster == "" {
		return kind + "MergeTree(" + args + ")"
	}
	place := "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'"
	if args != "" {
		place += ", " + args
	}
	return "Replicated" + kind + "MergeTree(" + place + ")"
}

// compactParts lets an insert write one file for all columns of a table: one for
// each would be half of its work. Merges make larger parts of them soon.
const compactParts = "min_bytes_for_wide_part = 33554432"

// window is how many blocks a table remembers by their tokens, and how it lays
// out what an insert writes. The server's own window is 0 without replication.
func (l layout) window() string {
	if l.cluster == "" {
		return compactParts + ", non_replicated_deduplication_window = 10000"
	}
	return compactParts + ", replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800"
}

// factHead and factFoot are what all tables of facts have in common.
const (
	factHead = `CREATE TABLE IF NOT EXISTS %s (
  tenant LowCardinality(String),
  task_id String CODEC(ZSTD(1)),
  trace_id FixedString(16) CODEC(ZSTD(1)),
  source String CODEC(ZSTD(1)),
  fact UInt32 CODEC(NONE),
  time_ns UInt64 CODEC(Delta(8), ZSTD(1)),
  seen_ns UInt64 CODEC(ZSTD(1)),`
	factFoot = `) ENGINE = %s
PARTITION BY toYYYYMM(toDateTime(intDiv(if(seen_ns = 0, time_ns, seen_ns), 1000000000), 'UTC'))
ORDER BY (tenant, task_id, trace_id, source, fact)%s
SETTINGS index_granularity = 2048, %s`
)

// longestTTL is the longest retention that the server is told of: it reckons in
// seconds that end in the year 2106.
const longestTTL = 50 * 365 * 24 * time.Hour

// ttl is the clause that makes the server give up rows by itself; age is the SQL
// of their age. Without it rows stay.
func (l layout) ttl(class, age string) string {
	kept := map[string]time.Duration{"evidence": l.evidence, "record": l.records, "longest": max(l.evidence, l.records)}[class]
	if kept == 0 || kept > longestTTL || class == "longest" && min(l.evidence, l.records) == 0 {
		return ""
	}
	return fmt.Sprintf("TTL toDateTime(intDiv(%s, 1000000000), 'UTC') + toIntervalSecond(%d)", age, int64(kept/time.Second))
}

func lineOf(clause string) string {
	if clause == "" {
		return ""
	}
	return "\n" + clause
}

func (l layout) functions() template.FuncMap {
	return template.FuncMap{
		"table":       func(name string) string { return l.stored(name) + l.onCluster() },
		"stored":      l.stored,
		"view":        func(name, to string) string { return l.spread(name) + l.onCluster() + " TO " + l.stored(to) },
		"replacing":   func(ver string) string { return l.engine("Replacing", ver) },
		"aggregating": func() string { return l.engine("Aggregating", "") },
		"plain":       func() string { return l.engine("", "") },
		"window":      l.window,
		"ttl":         l.ttl,
		"spread":      l.spread,
		"plain_view":  func(name string) string { return l.spread(name) + l.onCluster() },
		"fact":        func(name string) string { return fmt.Sprintf(factHead, l.stored(name)+l.onCluster()) },
		"end_fact": func() string {
			return fmt.Sprintf(factFoot, l.engine("Replacing", "time_ns"), lineOf(l.ttl("evidence", "if(seen_ns = 0, time_ns, seen_ns)")), l.window())
		},
	}
}

// migration is one file of schema/, named NNNN_what.sql.
type migration struct {
	version        int
	name, checksum string
	text           string
}

func migrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "schema/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var out []migration
	for i, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		number, _, _ := strings.Cut(path.Base(name), "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			return nil, fmt.Errorf("%s: migrations are numbered from 0001 without a gap", name)
		}
		sum := sha256.Sum256(b)
		out = append(out, migration{version: version, name: path.Base(name), checksum: hex.EncodeToString(sum[:]), text: string(b)})
	}
	return out, nil
}

// statements renders a migration for a layout, one statement each. On a cluster
// every table is followed by the one that spreads it.
func (m migration) statements(l layout) ([]string, error) {
	t, err := template.New(m.name).Funcs(l.functions()).Parse(m.text)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := t.Execute(&b, nil); err != nil {
		return nil, err
	}
	var out []string
	for _, s := range strings.Split(comment.ReplaceAllString(b.String(), ""), ";\n") {
		if s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), ";")); s == "" {
			continue
		}
		out = append(out, s)
		if o := objectOf(s); l.cluster != "" && o.name != "" && !o.view {
			table := strings.TrimSuffix(o.name, "_local")
			out = append(out, fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s%s AS %s ENGINE = Distributed(%s, %s, %s, %s)",
				l.spread(table), l.onCluster(), l.stored(table), quoteText(l.cluster), quoteText(l.database), quoteText(table+"_local"), shardOf(o)))
		}
	}
	return out, nil
}

// shardOf says by what rows of a table are spread. Rows with one identity must
// meet on one server.
func shardOf(o object) string {
	for _, key := range [][]string{{"tenant", "to_trace"}, {"tenant", "trace_id"}, {"tenant", "key"}, {"tenant", "source"}, {"tenant", "task_id"}, {"log"}} {
		if slices.ContainsFunc(o.columns, func(c column) bool { return c.name == key[len(key)-1] }) {
			return "cityHash64(" + strings.Join(key, ", ") + ")"
		}
	}
	return "0"
}

var comment = regexp.MustCompile(`(?m)^\s*--.*\n`)

// column is a column as the schema declares it.
type column struct {
	name, kind string
	computed   bool // an ALIAS: it is not inserted
}

// object is a table or materialized view as the schema declares it.
type object struct {
	name    string
	view    bool
	columns []column
	engine  string
	order   string
	ttl     string // "" if rows stay
}

var (
	createPattern = regexp.MustCompile("^CREATE (TABLE|VIEW|MATERIALIZED VIEW) IF NOT EXISTS `[^`]+`\\.`([^`]+)`")
	columnPattern = regexp.MustCompile(`(?m)^  ([a-z_]+) (.+?)( CODEC\(.*\)| ALIAS .*)?,?$`)
	enginePattern = regexp.MustCompile(`(?m)^(?:\)|CREATE TABLE .* AS .*) ENGINE = (\w+)`)
	ttlPattern    = regexp.MustCompile(`(?m)^TTL (.+)$`)
	orderPattern  = regexp.MustCompile(`(?m)^ORDER BY \(?([^)\n]+)\)?$`)
)

// objectOf reads a CREATE statement of ours; the name is empty for others.
func objectOf(statement string) object {
	m := createPattern.FindStringSubmatch(statement)
	if m == nil {
		return object{}
	}
	o := object{name: m[2], view: m[1] != "TABLE"}
	if o.view {
		return o
	}
	body, _, _ := strings.Cut(statement, "\n) ENGINE")
	for _, c := range columnPattern.FindAllStringSubmatch(body+"\n", -1) {
		o.columns = append(o.columns, column{name: c[1], kind: c[2], computed: strings.HasPrefix(c[3], " ALIAS")})
	}
	if e := enginePattern.FindStringSubmatch(statement); e != nil {
		o.engine = e[1]
	}
	if k := orderPattern.FindStringSubmatch(statement); k != nil {
		o.order = k[1]
	}
	if k := ttlPattern.FindStringSubmatch(statement); k != nil {
		o.ttl = k[1]
	}
	return o
}

// objects are all tables and views that a layout has after all migrations. A
// table that is spread over a cluster has the columns of the one it spreads.
func objects(known []migration, l layout) ([]object, error) {
	var out []object
	for _, m := range known {
		statements, err := m.statements(l)
		if err != nil {
			return nil, err
		}
		for _, s := range statements {
			if o := objectOf(s); o.name != "" {
				out = append(out, o)
			}
		}
	}
	return out, nil
}

// quoteName and quoteText make a name and a text safe inside SQL. Texts that
// somebody else wrote go through literal.
func quoteName(s string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(s) + "`"
}

func quoteText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// literal is any text as SQL: bytes that are not plain are escaped.
func literal[T ~string | ~[]byte](s T) string {
	const digits = "0123456789abcdef"
	b := make([]byte, 0, 4*len(s)+2)
	b = append(b, '\'')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\' || c == '\'' || c < ' ' || c > '~':
			b = append(b, '\\', 'x', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '\''))
}
