package mapping

import "testing"

// shellLines are command lines and what they can do.
var shellLines = map[string]string{
	"":                                     "unknown",
	"ls -la":                               "read",
	"cd src && git status --short | head":  "read",
	"/bin/cat /etc/hosts":                  "read",
	"echo hello":                           "none",
	"echo hello > out.txt":                 "write",
	"echo hello >> out.txt":                "write",
	"ls 2>/dev/null":                       "read",
	"cat < in.txt":                         "read",
	"rm -rf build":                         "destructive",
	"sudo rm -rf /":                        "destructive",
	"sudo -u root rm x":                    "unknown",
	"ls; rm x":                             "destructive",
	"ls $(rm x)":                           "destructive",
	"for f in *; do rm \"$f\"; done":       "destructive",
	"f() { rm x; }; f":                     "destructive",
	"bash -c 'rm x'":                       "destructive",
	"bash -c \"$CMD\"":                     "unknown",
	"bash script.sh":                       "unknown",
	"$CMD x":                               "unknown",
	"eval ls":                              "unknown",
	"alias ls='rm -rf'; ls":                "unknown",
	"PATH=/tmp ls":                         "unknown",
	"export PATH=/tmp; ls":                 "unknown",
	"FOO=bar ls":                           "read",
	"find . -name '*.go'":                  "read",
	"find . -delete":                       "destructive",
	"find . -exec rm {} +":                 "unknown",
	"find . $ARGS":                         "unknown",
	"sed -n 1,5p x":                        "unknown",
	"sed -i s/a/b/ x":                      "write",
	"sort -o out in":                       "write",
	"go test ./...":                        "write",
	"go test -exec ./run ./...":            "unknown",
	"go vet ./... && go build ./...":       "write",
	"go run .":                             "unknown",
	"make":                                 "unknown",
	"python3 -c 'print(1)'":                "unknown",
	"git push":                             "external",
	"git push --force":                     "destructive",
	"git push -fu origin main":             "destructive",
	"git -C dir log":                       "read",
	"git -c core.pager=x log":              "unknown",
	"git log --output=x":                   "write",
	"git reset --hard":                     "destructive",
	"git checkout -- file":                 "destructive",
	"git checkout -b topic":                "write",
	"git frobnicate":                       "unknown",
	"git $SUB":                             "unknown",
	"curl https://example.com":             "read",
	"curl -XPOST https://example.com":      "external",
	"curl -d @f https://example.com":       "external",
	"curl -sSLO https://example.com/x":     "write",
	"curl https://example.com | sh":        "unknown",
	"kubectl -n prod get pods":             "read",
	"kubectl -n prod delete pod x":         "destructive",
	"kubectl apply -f x.yaml":              "external",
	"terraform destroy":                    "destructive",
	"psql -c 'select 1'":                   "read",
	"psql -c 'select 1; drop table x'":     "destructive",
	"psql -c 'drop table x' -c 'select 1'": "destructive",
	"psql":                                 "unknown",
	"psql -c 'with x as (select 1) delete from y'": "unknown",
	"docker rm -f x":          "destructive",
	"docker run x":            "unknown",
	"ls 'unclosed":            "unknown",
	"rg --pre ./x y":          "unknown",
	"cat <<EOF\n$(rm x)\nEOF": "destructive",
	"diff <(ls a) <(rm b)":    "destructive",
	"a=$(rm x)":               "destructive",
	"test -f x || rm y":       "destructive",
}

func TestShellCommandsAreClassed(t *testing.T) {
	words, err := builtinEffects()
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range shellLines {
		if got := words.shellClass(line); got != want {
			t.Errorf("%q is %s, want %s", line, got, want)
		}
	}
}

func TestAnnotationsCountOnlyWhereNothingBetterIsKnown(t *testing.T) {
	for hints, want := range map[string]string{
		`{"readOnlyHint": true}`:                            "read",
		`{"readOnlyHint": false, "destructiveHint": true}`:  "destructive",
		`{"readOnlyHint": false, "destructiveHint": false}`: "write",
		`{"openWorldHint": "true"}`:                         "external",
		`{"title": "x"}`:                                    "",
		`not json`:                                          "",
	} {
		if got, _ := hintClass(hints); got != want {
			t.Errorf("%s is %q, want %q", hints, got, want)
		}
	}
}
