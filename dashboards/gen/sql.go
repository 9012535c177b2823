package main

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed sql
var sqlFiles embed.FS

// ofTenant narrows a dashboard's query to the tenant of its variable, if that is
// filled. Alert rules have no variables: they look at all tenants.
const ofTenant = "\n  AND (${" + tenant + ":sqlstring} = '' OR tenant = ${" + tenant + ":sqlstring})"

// query is the SQL of a file with its parts filled in.
func query(name, narrowed string) (string, error) {
	t, err := template.New("").Parse(`{{define "tenant"}}` + narrowed + `{{end}}`)
	if err != nil {
		return "", err
	}
	if t, err = t.ParseFS(sqlFiles, "sql/parts/*.sql"); err != nil {
		return "", err
	}
	text, err := sqlFiles.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return "", fmt.Errorf("the panel's query: %w", err)
	}
	if t, err = t.New("query").Parse(string(text)); err != nil {
		return "", fmt.Errorf("sql/%s.sql: %w", name, err)
	}
	var b strings.Builder
	err = t.Execute(&b, nil)
	return strings.TrimSpace(b.String()), err
}
