package listing

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// Whoever reads the list as data finds every field and column in the command's
// README.
func TestEveryFieldIsDocumented(t *testing.T) {
	b, err := os.ReadFile("../../cmd/otelcol-agent/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "## The list as data")
	table, _, _ = strings.Cut(table, "\n## ")
	for i := range reflect.TypeFor[Row]().NumField() {
		f := reflect.TypeFor[Row]().Field(i)
		if tag := f.Tag.Get("json"); tag != "" && !strings.Contains(table, "`"+tag+"`") {
			t.Errorf("field %s is not described", tag)
		}
	}
	for _, c := range columns {
		if !strings.Contains(table, c.title) {
			t.Errorf("column %s is not described", c.title)
		}
	}
}
