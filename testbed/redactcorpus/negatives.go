package redactcorpus

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// negatives are texts that hold nothing to replace. %s-like holes are those of
// frames, and {d:N} are N digits, {x:N} hex, {A:N} letters and digits.
var negatives = []frame{
	{"hex dump", "000000a0  06 03 55 04 03 0c 06 03  01 00 01 00 00 99 00 0b  |..U.............|\n000000b0  03 55 1d 13 01 01 ff 04  02 30 00 30 0c 06 03 55  |.U.......0.0...U|"},
	{"code points", "0043 0043 0073 ; [.1FD7.0020.0008]\n7490 7491 7492 7493 7494 7495 7496 5345 5346 5347 5348 535D"},
	{"byte range", "content-range: bytes 230431-1559618/2306591"},
	{"resource name", "arn:aws:secretsmanager:eu-west-1:{d:12}:secret:prod/db-{A:6}"},
	{"row of numbers", "{d:4},{d:8},{d:5},{d:2}\n1,234,567,890 rows"},
	{"commit", "commit {h}\nAuthor: bot\n\n    fix token refresh in {w}"},
	{"sha256", "sha256:{x:64} {w}-1.2.3.tar.gz"},
	{"git log", "{x:7} rename password field to passphrase\n{x:7} tests for secret store"},
	{"trace id", "traceparent: 00-{x:32}-{x:16}-01"},
	{"span", `{"traceId":"{x:32}","spanId":"{x:16}","parentSpanId":"","name":"chat claude-opus-4"}`},
	{"uuid", "request {u} took 12.4 ms"},
	{"uuid json", `{"id":"{u}","user_id":"{u}","session_id":"{u}"}`},
	{"tool call id", `{"tool_call_id":"call_{A:24}","name":"read_file"}`},
	{"tool use id", `{"type":"tool_use","id":"toolu_01{A:22}","name":"Bash"}`},
	{"completion id", `{"id":"chatcmpl-{A:29}","object":"chat.completion","model":"gpt-4o-2024-08-06"}`},
	{"message id", "msg_01{A:22} req_011{A:21}"},
	{"model names", "claude-3-5-sonnet-20241022, gpt-4.1-mini-2025-04-14, gemini-2.0-flash-001, llama-3.1-70b-instruct"},
	{"go function", "func checkPassword(password string) (bool, error) {\n\treturn bcrypt.Compare(hash, password)\n}"},
	{"python function", "def login(user: str, password: str = None, token: Optional[str] = None) -> Session:\n    self.password = password"},
	{"typescript", "interface Auth { password: string; token?: string; apiKey: string | undefined }"},
	{"getenv", "api_key = os.environ[\"OPENAI_API_KEY\"]\npassword = os.getenv('DB_PASSWORD')"},
	{"process env", "const apiKey = process.env.API_KEY;\nconst secret = config.get('jwt.secret');"},
	{"shell reference", "export TOKEN=$(gh auth token)\ncurl -H \"Authorization: Bearer $TOKEN\" https://x"},
	{"actions reference", "password: ${{ secrets.DOCKER_PASSWORD }}\ntoken: ${{ github.token }}"},
	{"helm template", "password: {{ .Values.db.password | quote }}\nsecretName: {{ .Release.Name }}-tls"},
	{"terraform reference", "password = var.db_password\ntoken    = data.vault_generic_secret.x.data[\"token\"]"},
	{"yaml schema", "password:\n  type: string\n  description: the user's password\ntoken:\n  type: string"},
	{"placeholder", "API_KEY=<your-api-key>\nPASSWORD=changeme\nTOKEN=xxxxxxxxxxxxxxxx"},
	{"mask", "password: ********\napi_key: ****\ntoken=[REDACTED]"},
	{"token counts", `{"input_tokens":12345678,"output_tokens":512,"max_tokens":4096,"total_tokens":12346190}`},
	{"tokenizer", "tokenizer: cl100k_base, token_type_ids, pad_token_id=50256, eos_token: </s>"},
	{"prose", "The password policy requires twelve characters. A token bucket limits each key to ten requests."},
	{"prose, secrets", "Secrets are stored in the vault; the secret name is app-credentials and its key is tls.crt."},
	{"prose, keys", "The primary key is id, the foreign key user_id. Press any key to continue."},
	{"sql", "SELECT password_hash, token_expiry FROM users WHERE id = 42 AND secret IS NOT NULL;"},
	{"migration", "ALTER TABLE users ADD COLUMN password_digest varchar(255) NOT NULL DEFAULT '';"},
	{"test output", "--- PASS: TestPassword (0.02s)\nok  \texample.com/auth\t0.412s\n12 passed, 0 failed"},
	{"npm integrity", "\"integrity\": \"sha512-{B64}\""},
	{"go sum", "golang.org/x/crypto v0.31.0 h1:{b:43}=\ngolang.org/x/sys v0.28.0/go.mod h1:{b:43}="},
	{"docker digest", "image: nginx@sha256:{x:64}"},
	{"etag", "ETag: W/\"{x:32}\"\nContent-Length: 48213\nAge: 120"},
	{"minified js", "!function(e,t){\"object\"==typeof exports?module.exports=t():e.Key=t()}(this,function(){var n=37,r=0x1f;return n*r})"},
	{"minified css", ".a{color:#4f46e5;padding:0 12px}.b{background:url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUg{b:200})}"},
	{"source map", "//# sourceMappingURL=app.{x:20}.js.map"},
	{"timestamps", "1732968151 1732968151123 1732968151123456789 2026-03-01T10:00:00.123456Z"},
	{"numbers", "rows=41523987 bytes=1099511627776 offset=8589934592 ratio=0.4111111111111111"},
	{"order ids", "order 10482-{d:6}, invoice INV-2026-{d:5}, ticket #{d:6}"},
	{"sixteen digits", "snowflake 1{d:15} and cursor 9{d:15}"},
	{"versions", "node v20.11.1, chrome 120.0.6099.109, Mozilla/5.0 Chrome/120.0.0.0 Safari/537.36, build 10.0.19045.3803"},
	{"private addresses", "listening on 127.0.0.1:8080, 10.2.3.4, 192.168.1.20 and [::1]:4317, metadata at 169.254.169.254"},
	{"dates", "2026-03-01, 01/03/2026, 2026.03.01, 20260301-101500, 10:15:00"},
	{"coordinates", "lat 52.520008, lon 13.404954; bbox -122.41941550, 37.77492950"},
	{"hex dump", "00000000  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00  |.ELF............|"},
	{"mac", "eth0 02:42:ac:11:00:02 mtu 1500"},
	{"isbn", "ISBN 978-3-16-148410-0, DOI 10.1000/182, RFC 9110 section 11.6.2"},
	{"rust", "use std::collections::HashMap; let x = a::b::C::new(0xdead_beef); core::fmt::Debug"},
	{"decorators", "@app.route('/login')\n@pytest.fixture(scope='session')\n@scope/pkg@4.17.21"},
	{"ssh remote", "git@github.com:org/repo.git (fetch)\nssh deploy@bastion"},
	{"css at", "@media (max-width: 600px) { .icon@2x { width: 10px } }\nassets/icon@2x.png"},
	{"chinese prose", "请检查密码策略，令牌在一小时后过期，模型使用了 4096 个令牌。"},
	{"japanese prose", "パスワードは十二文字以上にしてください。トークンの有効期限は一時間です。"},
	{"paths", "/home/dev/.ssh/id_ed25519 /etc/ssl/private/server.key ~/.aws/credentials secrets/token.txt"},
	{"public key", "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE{b:64}\n-----END PUBLIC KEY-----"},
	{"certificate", "-----BEGIN CERTIFICATE-----\nMIIB{b:60}\n{b:64}\n{b:40}==\n-----END CERTIFICATE-----"},
	{"ssh public key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b:43} dev@host"},
	{"publishable key", "<script data-key=\"public\" src=\"https://js.stripe.com/v3/\"></script>"},
	{"url", "https://docs.example.com/guide/authentication?lang=en&section=api-keys#tokens"},
	{"url with port", "http://localhost:4318/v1/traces and https://host:8443/a:b@c"},
	{"regex", "^(?:password|passwd|pwd)\\s*[:=]\\s*(\\S{8,})$"},
	{"json schema", `{"type":"object","properties":{"password":{"type":"string","minLength":8},"token":{"type":"string"}},"required":["password"]}`},
	{"http status", "401 Unauthorized: missing bearer token; WWW-Authenticate: Bearer realm=\"api\""},
	{"base64 prose", "{P64}"},
	{"image", "data:image/png;base64,iVBORw0KGgo{b:300}="},
	{"cache key", "cache key user:42:profile v3, partition_key=2026-03, sort_key=created_at"},
	{"i18n", "\"login.password.label\": \"Password\", \"login.token.hint\": \"Enter the token we sent you\""},
	{"feature", "enable_token_refresh: true, password_min_length: 12, secret_rotation_days=90"},
	{"arn", "arn:aws:secretsmanager:eu-west-1:{d:12}:secret:prod/db-AbCdEf"},
	{"k8s", "pod/app-{x:10}-x7k2p 1/1 Running; secret/app-token mounted at /var/run/secrets"},
	{"stack", "at Object.<anonymous> (/app/src/auth/token.ts:41:13)\n    at Module._compile (node:internal/modules/cjs/loader:1358:14)"},
	{"lockfile", "resolved \"https://registry.npmjs.org/jsonwebtoken/-/jsonwebtoken-9.0.2.tgz#{h}\""},
	{"math", "x = 3.14159265358979 * 1024 - (415) / 2 + 0.02"},
	{"typed declaration", "const password: string = getPassword();\nvar token string\nlet api_key: &str = &cfg.api_key;\npassword: str = Field(min_length=8)"},
	{"docs sentence", "Set the password to a value of your choice; the token is optional and the key is stored in the keychain."},
	{"docs table", "| password | string | the password of the user |\n| token | string | optional |\n| api_key | required | see above |"},
	{"enum", "enum Auth { PASSWORD, TOKEN, API_KEY }\ncase \"password\", \"token\", \"api_key\":"},
	{"log fields", "auth method=token user=app token_id=7 password_changed=false secret_version=12"},
	{"kwargs", "connect(host, user=user, password=password, token=self.token, api_key=settings.api_key)"},
	{"jsx", "<input type=\"password\" name=\"password\" autoComplete=\"current-password\" />"},
	{"html labels", "<label for=\"token\">Token</label><span class=\"api-key-label\">API key</span>"},
	{"keys", "public_key_id={x:16} cache_key={x:64} row_key=user-00042 primary_key: id object_key: 2026/03/01/report.csv"},
	{"fixture name", "tests/fixtures/password_reset_token_expired.json::test_token_refresh_when_secret_rotated"},
	{"spec", "token: a string of at least 32 characters; secret: never logged; password: hashed with argon2id"},
	{"react", "useState<string>(\"\"); setPassword(e.target.value); setToken(null); onChange={setApiKey}"},
	{"urls", "https://example.com/reset-password?lang=en, https://example.com/oauth/token?grant_type=client_credentials&scope=read"},
	{"camel ids", "sessionId: {A:20}, requestId: req_{A:16}, run_id=run_{x:24}, thread_{A:24}"},
	{"hex color", "#1e293b #4f46e5ff rgba(12, 34, 56, 0.5) key={d:4}"},
	{"phone-like", "port 5432, size 1024-2048-4096, range 100-200-3000, 2026-03-01 12:00:00, chapter 3.14.15"},
	{"counts", "call 12345678 took 30 ms, contact 3 of 12, signal 9, cell 1048576, text 4096 bytes"},
	{"pids", "pid 41235 tid 140234567890 addr 0x7ffd5e8a1b20 exit 137"},
	{"prices", "total 1,234,567.89 EUR (415) net 1.037.621,75"},
	{"eleven digits", "inode 1{d:10}, seq {d:12}, epoch 17{d:8}, ns 17{d:17}"},
	{"uuid key", "idempotency_key={u} license: MIT key: {u}"},
	{"diff noise", "@@ -120,7 +120,9 @@\n-    token = next(tokens)\n+    token = next(tokens, None)\n+    key = token.key"},
	{"git ref", "refs/heads/feature/token-refresh-2026 {h} refs/tags/v1.2.3"},
	{"terminal", "\u001b[32m✓\u001b[0m 41 tests, 1234567 assertions, seed 20260301"},
}

// numberTwins are numbers of people with one digit wrong.
func numberTwins(d dice) []string {
	wrong := func(s string) string { // the last digit plus one
		for i := len(s) - 1; i >= 0; i-- {
			if s[i] >= '0' && s[i] <= '9' {
				return s[:i] + string('0'+(s[i]-'0'+1)%10) + s[i+1:]
			}
		}
		return s
	}
	return []string{
		"card " + wrong(card(d)), "iban " + wrong(iban(d)), "PESEL " + wrong(stateIDs[10].make(d)), "BSN " + wrong(stateIDs[9].make(d)), "cpf " + wrong(stateIDs[11].make(d)),
		"ssn 000-12-" + d.of(digit, 4), "Steuer-ID " + wrong(stateIDs[4].make(d)), "code " + d.of(digit, 9), "number " + d.of(digit, 11),
	}
}

func (f frame) negative(d dice) string {
	text, _ := f.fill(d, "", "", "")
	for {
		open := strings.Index(text, "{")
		found := false
		for open >= 0 {
			var class byte
			var n int
			if _, err := fmt.Sscanf(text[open:], "{%c:%d}", &class, &n); err == nil {
				if alphabet, ok := map[byte]string{'d': digit, 'x': hexLow, 'A': alnum, 'b': b64}[class]; ok {
					end := open + strings.IndexByte(text[open:], '}') + 1
					text, found = text[:open]+d.of(alphabet, n)+text[end:], true
					break
				}
			}
			next := strings.Index(text[open+1:], "{")
			if next < 0 {
				break
			}
			open += 1 + next
		}
		if !found {
			break
		}
	}
	text = strings.ReplaceAll(text, "{B64}", d.base64Of(64))
	return strings.ReplaceAll(text, "{P64}", base64.StdEncoding.EncodeToString([]byte("the quick brown fox jumps over the "+d.word()+" and sleeps")))
}
