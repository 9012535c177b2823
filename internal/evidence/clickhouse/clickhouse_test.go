package clickhouse

import (
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

func TestOwns(t *testing.T) {
	for dsn, want := range map[string]bool{
		"clickhouse://h:9000/d": true, "http://h:8123": true, "https://h": true, "ClickHouse://h": true, "tcp://h:9000": true,
		"sqlite:/x": false, "/var/lib/x.db": false, "": false, "postgres://h": false, `C:\x`: false, "http:x": false,
	} {
		require.Equal(t, want, Owns(dsn), dsn)
	}
}

func TestSettingsNeverQuoteTheDSN(t *testing.T) {
	for _, dsn := range []string{
		"clickhouse://user:hunter2@/", "http://user:hunter2@h:8123/evi-dence", "http://user:hunter2@h/d?dial_timeout=hunter2", "clickhouse://user:hunter2@h:port/x",
	} {
		s := Settings{DSN: dsn}
		err := s.Validate()
		require.Error(t, err, dsn)
		require.NotContains(t, err.Error(), "hunter2")
		require.NotContains(t, s.Place(), "hunter2")
	}
	s := Settings{DSN: "https://user:hunter2@h:8443/evidence", Username: "other", Password: "third"}
	require.NoError(t, s.Validate())
	require.Equal(t, "https://h:8443/evidence", s.Place())
	opts, l, err := s.driverOptions()
	require.NoError(t, err)
	require.Equal(t, "other", opts.Auth.Username)
	require.Equal(t, "third", opts.Auth.Password)
	require.NotNil(t, opts.TLS)
	require.Equal(t, "evidence", l.database)
	_, l, err = (&Settings{DSN: "clickhouse://h:9000"}).driverOptions()
	require.NoError(t, err)
	require.Equal(t, DefaultDatabase, l.database)
}

func TestMigrationsAreNumbered(t *testing.T) {
	known, err := migrations(schemaFiles)
	require.NoError(t, err)
	require.NotEmpty(t, known)
	_, err = migrations(fstest.MapFS{"schema/0001_a.sql": {}, "schema/0003_b.sql": {}})
	require.ErrorContains(t, err, "without a gap")
}

func TestClusterLayout(t *testing.T) {
	known, err := migrations(schemaFiles)
	require.NoError(t, err)
	l := layout{database: "d", cluster: "main", evidence: time.Hour, records: time.Hour}
	statements, err := known[0].statements(l)
	require.NoError(t, err)
	all := strings.Join(statements, "\n")
	for _, want := range []string{
		"CREATE TABLE IF NOT EXISTS `d`.`spans_local` ON CLUSTER `main` (",
		"ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', ver)",
		"CREATE TABLE IF NOT EXISTS `d`.`spans` ON CLUSTER `main` AS `d`.`spans_local` ENGINE = Distributed('main', 'd', 'spans_local', cityHash64(tenant, trace_id))",
		"CREATE TABLE IF NOT EXISTS `d`.`links_rev` ON CLUSTER `main` AS `d`.`links_rev_local` ENGINE = Distributed('main', 'd', 'links_rev_local', cityHash64(tenant, to_trace))",
		"CREATE MATERIALIZED VIEW IF NOT EXISTS `d`.`links_to_rev` ON CLUSTER `main` TO `d`.`links_rev_local`",
		"TTL toDateTime(intDiv(age_ns, 1000000000), 'UTC') + toIntervalSecond(3600)",
		"replicated_deduplication_window = 10000",
	} {
		require.Contains(t, all, want)
	}
	require.NotContains(t, all, "non_replicated_deduplication_window")
	require.Contains(t, l.createMigrations()[1], "ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/{table}', '{shard}_{replica}')", "every shard knows the migrations")
	all2, err := objects(known, l)
	require.NoError(t, err)
	engines := map[string]string{}
	for _, o := range all2 {
		engines[o.name] = o.engine
	}
	require.Equal(t, "ReplicatedReplacingMergeTree", engines["spans_local"])
	require.Equal(t, "Distributed", engines["spans"])
	require.NotContains(t, all, "{{")
}

// Every column that is inserted is declared, so that no insert asks for them.
func TestSchemaIsRead(t *testing.T) {
	known, err := migrations(schemaFiles)
	require.NoError(t, err)
	all, err := objects(known, layout{database: "d", evidence: time.Hour, records: time.Hour})
	require.NoError(t, err)
	names := map[string]object{}
	for _, o := range all {
		names[o.name] = o
		if !o.view {
			require.NotEmpty(t, o.columns, o.name)
			require.NotEmpty(t, o.engine, o.name)
			require.NotEmpty(t, o.order, o.name)
		}
	}
	for _, table := range append([]string{"spans", "links", "links_rev", "events", "tasks", "run_keys", "run_edges", "run_roots", "quarantine", "prunings", "erasures"}, factTables...) {
		require.Contains(t, names, table)
	}
	spans := names["spans"]
	require.Equal(t, column{"tenant", "LowCardinality(String)", false}, spans.columns[0])
	require.True(t, spans.columns[len(spans.columns)-1].computed, "age_ns is an alias")
	require.Equal(t, "tenant, task_id, start_ns, trace_id, span_id, statement", spans.order)
}

func TestLiteralsAreSafe(t *testing.T) {
	require.Equal(t, `'plain text'`, literal("plain text"))
	require.Equal(t, `'\x27\x5c\x00\xff\x0a'`, literal("'\\\x00\xff\n"))
	require.Equal(t, `'\x01'`, literal([]byte{1}))
	long := lists([]string{strings.Repeat("a", maxList), "b", "c"})
	require.Len(t, long, 2)
	require.Equal(t, "b,c", long[1])
}

func TestRootsDoNotDependOnOrder(t *testing.T) {
	spans := []evidence.Span{
		{ID: evidence.StepID{Trace: evidence.TraceID{1}}, Attrs: evidence.Attrs{"app.task.id": "b", "app.task.parent.id": "c"}},
		{ID: evidence.StepID{Trace: evidence.TraceID{2}}, Attrs: evidence.Attrs{"app.task.id": "a"}, Links: []evidence.Link{{To: evidence.StepID{Trace: evidence.TraceID{1}}}}},
		{ID: evidence.StepID{Trace: evidence.TraceID{3}}, Links: []evidence.Link{{To: evidence.StepID{Trace: evidence.TraceID{2}}}}},
		{Tenant: "other", ID: evidence.StepID{Trace: evidence.TraceID{3}}},
		{ID: evidence.StepID{Trace: evidence.TraceID{9}}, Links: []evidence.Link{{To: evidence.StepID{Trace: evidence.TraceID{1}}, Relation: "follows"}}},
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}} {
		s := newKeySet()
		for _, i := range order {
			var sh sheet
			sh.maxRow = 1 << 20
			spans[i].ID.Span = evidence.SpanID{1}
			sh.take(evidence.Batch{Spans: spans[i : i+1]})
			require.Empty(t, sh.refused)
			sh.spans[0].age = int64(i)
			s.span(&sh.spans[0])
		}
		roots := map[string]int{}
		for _, group := range s.groups() {
			require.False(t, name(group))
			roots[group[0].root]++
		}
		require.Equal(t, map[string]int{"c": 1, taskOfTrace(evidence.TraceID{3}): 1, taskOfTrace(evidence.TraceID{9}): 1}, roots, "a parent names a run better than a task")
	}
}

func TestAges(t *testing.T) {
	const now = 100 * int64(time.Hour)
	for time, want := range map[int64][2]int64{5: {5, 0}, 0: {now, now}, now + clockSkew: {now + clockSkew, 0}, now + clockSkew + 1: {now, now}, math.MaxInt64: {now, now}} {
		age, seen := age(time, now)
		require.Equal(t, want, [2]int64{age, seen})
	}
	require.GreaterOrEqual(t, upToHour(math.MaxInt64), int64(math.MaxInt64))
	require.Equal(t, hour, upToHour(0))
}

// refusing answers inserts into one table with an error of ClickHouse.
func refusing(table, code string) *nothing {
	return &nothing{fail: func(query string) *http.Response {
		if !strings.HasPrefix(query, "INSERT INTO `evidence`.`"+table+"`") {
			return nil
		}
		return &http.Response{StatusCode: http.StatusInternalServerError, Header: http.Header{"X-Clickhouse-Exception-Code": {code}},
			Body: io.NopCloser(strings.NewReader("Code: " + code + ". DB::Exception: hunter2"))}
	}}
}

func TestRetryableAndPermanent(t *testing.T) {
	for what, c := range map[string]struct {
		server      *nothing
		permanent   bool
		quarantined int
	}{
		"no space":              {refusing("spans", "243"), false, 0},
		"too many parts":        {refusing("spans", "252"), false, 0},
		"memory":                {refusing("run_keys", "241"), false, 0},
		"wrong password":        {refusing("spans", "516"), false, 0},
		"read only":             {refusing("links", "164"), false, 0},
		"unknown":               {refusing("spans", "9999"), false, 0},
		"rows at fault":         {refusing("spans", "469"), false, 4},
		"the quarantine itself": {refusing("quarantine", "469"), true, 0},
	} {
		t.Run(what, func(t *testing.T) {
			w, err := Open(t.Context(), c.server.settings())
			require.NoError(t, err)
			defer w.Close()
			b := agentSpans(0, 4)
			b.Spans[1].Links = []evidence.Link{{To: b.Spans[0].ID, Relation: "related"}}
			if c.permanent {
				b.Spans[2].ID = evidence.StepID{}
			}
			res, err := w.Write(t.Context(), b)
			if c.quarantined > 0 {
				require.NoError(t, err)
				require.Equal(t, evidence.WriteResult{Quarantined: c.quarantined}, res)
				return
			}
			require.Error(t, err)
			require.Equal(t, c.permanent, errors.Is(err, evidence.ErrPermanent), err)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestClosedWriterRefuses(t *testing.T) {
	w, err := Open(t.Context(), (&nothing{}).settings())
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, w.Close(), "closing again")
	_, err = w.Write(t.Context(), agentSpans(0, 1))
	require.ErrorIs(t, err, ErrClosed)
	_, err = w.Prune(t.Context(), time.Unix(1, 0), time.Unix(1, 0))
	require.ErrorIs(t, err, ErrClosed)
}
