package redact

import (
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTokenWithItsChecksumIsFoundInsideWords(t *testing.T) {
	p := everything(t)
	body := strings.Repeat("aB3dE6", 5)
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum, tail := crc32.ChecksumIEEE([]byte(body)), ""
	for range 6 {
		tail = string(digits[sum%62]) + tail
		sum /= 62
	}
	right, wrong := "ghp_"+body+tail, "ghp_"+body+"000000"
	for in, want := range map[string]string{
		"x" + right + "y": `^x\[redacted:github_token:\w{12}\]y$`,
		right + right:     `^(\[redacted:github_token:\w{12}\]){2}$`,
		"x" + wrong + "y": "^x" + wrong + "y$",
		wrong:             `^\[redacted:github_token:\w{12}\]$`, // a mistyped secret
		strings.Replace("n"+right, "ghp_", "npm_", 1): `^n\[redacted:npm_token:\w{12}\]$`,
	} {
		out, _ := redactText(p, in)
		assert.Regexp(t, want, out, in)
	}
}
