package clickhouse

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

var keptPattern = regexp.MustCompile(`toIntervalSecond\((\d+)\)`)

// kept is how many seconds a TTL clause keeps rows, "" for ever.
func kept(clause string) string {
	if m := keptPattern.FindStringSubmatch(clause); m != nil {
		return m[1]
	}
	return ""
}

// ttls are how many seconds the server keeps rows of each table that is there, ""
// for ever.
func (c *client) ttls(ctx context.Context) (map[string]string, error) {
	have := map[string]string{}
	err := c.each(ctx, "SELECT name, engine_full FROM system.tables WHERE database = "+quoteText(c.layout.database), func(scan func(...any) error) error {
		var name, engine string
		err := scan(&name, &engine)
		have[name] = kept(engine)
		return err
	})
	return have, err
}

// eachTTL calls f for every table with the seconds that it keeps rows for and
// those that a layout wants.
func (c *client) eachTTL(ctx context.Context, l layout, f func(o object, have, want string)) error {
	all, err := objects(c.known, l)
	if err != nil {
		return err
	}
	have, err := c.ttls(ctx)
	for _, o := range all {
		if seconds, there := have[o.name]; err == nil && there && !o.view {
			f(o, seconds, kept(o.ttl))
		}
	}
	return err
}

// changeTTL returns the statements that give tables the retention of the layout.
func (c *client) changeTTL(ctx context.Context) (statements []string, err error) {
	err = c.eachTTL(ctx, c.layout, func(o object, have, want string) {
		if have == want {
			return
		}
		change := " MODIFY TTL " + o.ttl
		if o.ttl == "" {
			change = " REMOVE TTL"
		}
		statements = append(statements, "ALTER TABLE "+c.layout.spread(o.name)+c.layout.onCluster()+change)
	})
	return statements, err
}

// sooner names tables whose rows the server deletes before the retention of the
// layout is over.
func (c *client) sooner(ctx context.Context) (problems []error, err error) {
	err = c.eachTTL(ctx, c.layout, func(o object, have, want string) {
		is, _ := strconv.ParseInt(have, 10, 64)
		wanted, _ := strconv.ParseInt(want, 10, 64)
		if have != "" && (want == "" || is < wanted) {
			kept := "for ever"
			if want != "" {
				kept = "for " + (time.Duration(wanted) * time.Second).String()
			}
			problems = append(problems, fmt.Errorf("table %s: the server deletes rows after %s, and they are to be kept %s (retention)", o.name, time.Duration(is)*time.Second, kept))
		}
	})
	return problems, err
}

// endless names tables that could have a TTL and have none.
func (c *client) endless(ctx context.Context) (names []string, err error) {
	l := c.layout
	l.evidence, l.records = time.Hour, time.Hour
	err = c.eachTTL(ctx, l, func(o object, have, want string) {
		if have == "" && want != "" {
			names = append(names, o.name)
		}
	})
	return names, err
}

// settleTTL gives tables the retention of the settings, where it has changed
// since they were made: or the server would delete what is to be kept. first is
// called before anything is changed.
func (c *client) settleTTL(ctx context.Context, first func() error) error {
	changes, err := c.changeTTL(ctx)
	if err == nil && len(changes) > 0 {
		err = first()
	}
	for _, statement := range changes {
		if err != nil {
			return err
		}
		err = c.exec(ctx, statement)
	}
	return err
}
