package redact

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestValueInBase64IsReadOnce(t *testing.T) {
	aws, _ := fill("AKIA{base32:16}", 1)
	p := everything(t)
	for name, c := range map[string]struct{ text, want string }{
		"a secret":                    {"export AWS_ACCESS_KEY_ID=" + aws, `^\[redacted:aws_access_key_id:\w{12}\]$`},
		"a mail":                      {`{"to":"ada@example.com"}`, `^\[redacted:email:\w{12}\]$`},
		"nothing to find":             {"the quick brown fox jumps", `^[A-Za-z0-9+/_-]+={0,2}$`},
		"a secret in more than 16 KB": {strings.Repeat("x ", 8<<10) + aws, `^[A-Za-z0-9+/_-]+={0,2}$`}, // documented limit
	} {
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			out, _ := redactText(p, enc.EncodeToString([]byte(c.text)))
			assert.Regexp(t, c.want, out, name)
			again, hits := redactText(p, out)
			assert.Equal(t, out, again)
			assert.Zero(t, hits.Total())
		}
	}
}
