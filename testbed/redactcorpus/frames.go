package redactcorpus

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

// frame is a text with holes: {V} the value, {J} and {JJ} escaped once or twice
// for JSON, {Q} for a URL, {B} in base64; {N}, {n}, {c} the name as NAME, name
// and camelCase; {w} a word, {h} a hash, {u} a UUID, {d} digits.
type frame struct{ name, text string }

// namedFrames say what the value is.
var namedFrames = []frame{
	{"env file", "APP_ENV=production\n{N}={V}\nPORT=8080\n"},
	{"env file, quoted", "{N}=\"{V}\"\nDEBUG=false"},
	{"env file, crlf", "DEBUG=1\r\n{N}={V}\r\nTZ=UTC\r\n"},
	{"shell export", "$ export {N}={V} && ./run.sh --verbose"},
	{"shell export, quoted", "export {N}='{V}'\npython main.py"},
	{"inline variable", "{N}={V} terraform apply -auto-approve"},
	{"docker run", "docker run -d -e {N}={V} -p 80:80 registry.local/app:1.4.2"},
	{"dockerfile", "FROM alpine:3.20\nENV {N}={V}\nRUN make build"},
	{"fallback", "const conf = { retries: 2, x: process.env.{N} || '{V}' };"},
	{"shell default", "exec app --flag \"${{N}:-{V}}\""},
	{"terraform block", "variable \"{n}\" {\n  type      = string\n  sensitive = true\n  default   = \"{V}\"\n}"},
	{"property", "public string {N} { get; set; } = \"{V}\";"},
	{"secret set", "gh secret set {N} --body \"{V}\""},
	{"powershell", "$env:{N} = \"{V}\"\nGet-Item ."},
	{"windows set", "set {N}={V}\r\nnpm ci"},
	{"yaml", "services:\n  app:\n    environment:\n      {N}: {V}\n      LOG_LEVEL: info\n"},
	{"yaml, quoted", "config:\n  {n}: \"{V}\"\n  retries: 3\n"},
	{"yaml list", "environment:\n  - {N}={V}\n  - TZ=UTC"},
	{"kubernetes env", "env:\n  - name: {N}\n    value: \"{V}\"\n"},
	{"json", `{"region":"eu-west-1","{n}":"{J}","retries":3}`},
	{"json, spaced", "{\n  \"{c}\": \"{J}\",\n  \"timeout\": 30\n}"},
	{"json in json", `{"tool":"write_file","arguments":"{\"path\":\".env\",\"{n}\":\"{JJ}\"}"}`},
	{"tool result", `{"role":"tool","tool_call_id":"call_{w}1","content":"{N}={J}\nHOST=db"}`},
	{"python", "import os\nos.environ[\"{N}\"] = \"{V}\"\nclient = Client(timeout=10)"},
	{"python argument", "client = Client(base_url=url, {n}=\"{V}\", timeout=30)"},
	{"python variable", "{n} = '{V}'  # TODO remove"},
	{"javascript", "const {c} = \"{V}\";\nawait connect();"},
	{"javascript object", "module.exports = { {c}: '{V}', retries: 2 };"},
	{"go", "cfg := Config{\n\t{c}: \"{V}\",\n}"},
	{"java properties", "server.port=8080\napp.{n}={V}\n"},
	{"terraform", "variable \"{n}\" {\n  default = \"{V}\"\n}\n\nresource \"x\" \"y\" {\n  {n} = \"{V}\"\n}"},
	{"hcl", "provider \"x\" {\n  {n}   = \"{V}\"\n  region = \"eu\"\n}"},
	{"toml", "[auth]\n{n} = \"{V}\"\nenabled = true\n"},
	{"ini", "[default]\n{n} = {V}\noutput = json\n"},
	{"xml", "<config><{c}>{V}</{c}><port>80</port></config>"},
	{"diff, added", "@@ -1,3 +1,3 @@\n context\n-{N}=old\n+{N}={V}\n context"},
	{"diff, removed", "--- a/.env\n+++ b/.env\n@@ -4 +4 @@\n-{N}=\"{V}\"\n+{N}=\"${N}\""},
	{"log line", "2026-03-01T10:00:00Z INFO config loaded {n}={V} host=db port=5432"},
	{"log, json", `{"level":"info","msg":"loaded","{n}":"{J}","ts":1767225600.123}`},
	{"prompt", "Here is my {n}: {V}\nCan you check why the deploy fails?"},
	{"prompt, is", "use this for the test environment, {N} = {V} and then run it again"},
	{"markdown", "## Setup\n\n```bash\nexport {N}={V}\n```\n\n| key | use |\n"},
	{"markdown code", "Set `{N}={V}` in the settings."},
	{"url query", "GET https://api.{w}.io/v1/items?{n}={Q}&limit=10 HTTP/1.1"},
	{"stack trace", "Traceback (most recent call last):\n  File \"app.py\", line 41, in main\n    connect({n}=\"{V}\")\nValueError: bad region"},
	{"command flag", "cli deploy --{n} {V} --region eu"},
	{"command flag, equals", "cli deploy --{n}={V} --region eu"},
	{"github actions", "    env:\n      {N}: '{V}'\n    steps:\n      - run: make"},
	{"chinese text", "请使用这个配置 {n}: {V}，然后重新运行测试。"},
	{"ruby", "config.{n} = '{V}'\nconfig.timeout = 5"},
	{"php", "'{n}' => '{V}',\n'debug' => false,"},
	{"minified", "function(){var a=1;return{url:\"/x\",{c}:\"{V}\",n:!0}}"},
	{"json pairs", `[{"name":"{N}","value":"{J}"},{"name":"TZ","value":"UTC"}]`},
	{"xml pairs", "<property><name>{n}</name><value>{V}</value></property>"},
	{"yaml block scalar", "{n}: |\n  {V}\nnext: 1\n"},
	{"helm set", "helm upgrade app ./chart --set auth.{c}={V} --wait"},
	{"kubectl literal", "kubectl create secret generic s --from-literal={n}={V}"},
	{"java property", "java -D{n}={V} -jar app.jar"},
	{"tuple", "headers = [(\"{n}\", \"{V}\"), (\"Accept\", \"*/*\")]"},
	{"argument list", `"args": ["--{n}", "{J}", "--verbose"]`},
	{"html escaped", "{&quot;{c}&quot;:&quot;{V}&quot;,&quot;n&quot;:1}"},
	{"curly quotes", "the {n} is “{V}” for now"},
	{"typescript typed", "const {c}: string = \"{V}\";"},
	{"go typed", "var {c} string = \"{V}\""},
	{"kotlin", "private val {c}: String = \"{V}\""},
	{"rust", "let {n}: &str = \"{V}\";"},
	{"python typed", "{n}: str = \"{V}\""},
	{"python bytes", "{n} = b\"{V}\""},
	{"c#", "var {c} = @\"{V}\";"},
	{"c define", "#define {N} \"{V}\""},
	{"makefile", "{N} ?= {V}\nall: build"},
	{"ruby or-assign", "ENV['{N}'] ||= '{V}'"},
	{"process.env", "process.env.{N} = \"{V}\";"},
	{"full-width colon", "{n}：{V}"},
	{"markdown table", "| name | value |\n|---|---|\n| {N} | {V} |"},
	{"tab separated", "{N}\t{V}\nTZ\tUTC"},
	{"jupyter", "%env {N}={V}"},
	{"shell json", "curl -d \"{\\\"{n}\\\":\\\"{V}\\\"}\" https://x.example.com"},
	{"dict call", "settings = dict({n}='{V}', debug=False)"},
	{"spaces around", "{n}    =    {V}"},
	{"groovy", "withEnv([\"{N}={V}\"]) { sh 'make' }"},
	{"vault kv", "vault kv put secret/app {n}={V}"},
	{"heroku", "heroku config:set {N}={V} -a app"},
	{"systemd", "[Service]\nEnvironment=\"{N}={V}\"\nExecStart=/usr/bin/app"},
	{"nginx", "proxy_set_header {n} \"{V}\";"},
	{"error text", "Error: invalid {n} '{V}' supplied"},
	{"graphql", "mutation { login({c}: \"{V}\") { id } }"},
	{"assistant", "I set {N} to {V} in the new shell and started it."},
	{"printenv", "HOME=/root\nPATH=/usr/bin:/bin\n{N}={V}\nLANG=C.UTF-8"},
}

// bareFrames say nothing of the value: only its own mark does.
var bareFrames = []frame{
	{"alone", "{V}"},
	{"sentence", "I pasted {V} into the form and it worked."},
	{"end of sentence", "The old one was {V}."},
	{"brackets", "revoke it ({V}) please"},
	{"angle brackets", "use <{V}> instead"},
	{"list item", "- {V}\n- something else"},
	{"json list", `["{J}","second"]`},
	{"escaped line", `"stdout":"first\n{J}\nlast"`},
	{"double escaped", `{"out":"{\"stdout\":\"a\\n{JJ}\\nb\"}"}`},
	{"url path", "https://{w}.example.com/hook?x={Q}&y=1"},
	{"cjk around", "密钥是{V}，请保密"},
	{"csv", "1,{w},{V},active"},
	{"table", "| {w} | {V} | 3 |"},
	{"grep", "src/config.ts:14:  const k = \"{V}\""},
	{"diff, added", "+  {V}\n   unchanged"},
	{"html", "<code>{V}</code>"},
	{"error", "401 Unauthorized: invalid credential {V} (request {u})"},
	{"slack message", "hey @{w}, the new one: {V} :tada:"},
}

// headerFrames carry tokens of HTTP.
var headerFrames = []frame{
	{"curl bearer", "curl -sS -H \"Authorization: Bearer {V}\" https://api.example.com/v1/me"},
	{"curl bearer, single quotes", "curl -H 'authorization: Bearer {V}' -H 'Accept: */*' https://x.example.com"},
	{"header line", "GET /v1 HTTP/1.1\r\nHost: api.example.com\r\nAuthorization: Bearer {V}\r\nAccept: */*\r\n"},
	{"header json", `{"headers":{"Authorization":"Bearer {J}","Accept":"application/json"}}`},
	{"header python", "headers = {\"Authorization\": f\"Bearer {V}\"}\nrequests.get(url, headers=headers)"},
	{"header javascript", "fetch(url, { headers: { Authorization: `Bearer {V}` } })"},
	{"header token", "Authorization: token {V}"},
	{"x-api-key", "curl https://api.example.com -H \"x-api-key: {V}\""},
	{"x-auth-token", "X-Auth-Token: {V}\r\nContent-Type: application/json"},
	{"npmrc", "registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken={V}\n"},
	{"pypirc", "[pypi]\nusername = __token__\npassword = {V}\n"},
	{"git url", "git clone https://x-access-token:{V}@github.com/org/repo.git"},
	{"git url, alone", "remote: https://{Q}@git.example.com/org/repo.git"},
	{"kubeconfig", "users:\n- name: admin\n  user:\n    token: {V}\n"},
	{"set-cookie", "Set-Cookie: session={V}; Path=/; HttpOnly"},
}

// passwordFrames carry passwords without a name that says so.
var passwordFrames = []frame{
	{"postgres url", "postgres://app:{Q}@db.internal:5432/orders?sslmode=require"},
	{"mysql url", "DATABASE_URL=mysql://root:{Q}@10.0.0.5/shop"},
	{"redis url", "redis://:{Q}@cache.internal:6379/0"},
	{"mongodb url", "mongodb+srv://svc:{Q}@cluster0.abcde.mongodb.net/app"},
	{"amqp url, json", `{"broker":"amqp://worker:{Q}@mq:5672/%2f"}`},
	{"https userinfo", "curl https://ci:{Q}@nexus.example.com/repository/"},
	{"git remote", "origin\thttps://bot:{Q}@git.example.com/team/app.git (push)"},
	{"jdbc", "jdbc:sqlserver://db:1433;databaseName=x;user=sa;password={V};encrypt=true"},
	{"jdbc query", "jdbc:postgresql://db/app?user=app&password={Q}&ssl=true"},
	{"ado", "Server=db;Database=app;User Id=sa;Password={V};TrustServerCertificate=true"},
	{"odbc", "DRIVER={PostgreSQL};SERVER=db;UID=app;PWD={V};"},
	{"libpq", "host=db port=5432 user=app password={V} dbname=x"},
	{"netrc", "machine api.example.com login bot password {V}\n"},
	{"netrc, lines", "machine github.com\n  login bot\n  password {V}\n"},
	{"curl -u", "curl -u admin:{V} https://host/api"},
	{"curl --user", "curl --user 'admin:{V}' https://host/api"},
	{"mysql -p", "mysql -h db -u root -p{V} shop < dump.sql"},
	{"sshpass", "sshpass -p '{V}' ssh deploy@host"},
	{"docker login", "docker login -u bot -p {V} registry.example.com"},
	{"redis-cli", "redis-cli -h cache -a {V} ping"},
	{"pgpassword", "PGPASSWORD={V} psql -h db -U app -c 'select 1'"},
	{"sql", "CREATE USER report WITH PASSWORD '{V}';"},
	{"sql identified", "ALTER USER 'app'@'%' IDENTIFIED BY '{V}';"},
	{"prompt", "the password is: {V}"},
	{"form", "username=bot&password={Q}&remember=1"},
	{"login json", `{"username":"bot","password":"{J}"}`},
	{"requests auth", "requests.get(url, auth=(\"bot\", \"{V}\"))"},
	{"set password", "ds.setPassword(\"{V}\");"},
	{"sql role", "CREATE ROLE app LOGIN PASSWORD '{V}' VALID UNTIL 'infinity';"},
	{"requirepass", "bind 0.0.0.0\nrequirepass {V}\nport 6379"},
	{"openssl", "openssl pkcs12 -export -in c.pem -passout pass:{V}"},
	{"sudo", "echo '{V}' | sudo -S systemctl restart app"},
	{"chpasswd", "echo \"root:{V}\" | chpasswd"},
	{"ldapsearch", "ldapsearch -x -D cn=admin -w {V} -b dc=x"},
	{"mongosh", "mongosh -u root -p {V} --authenticationDatabase admin"},
	{"pgpass", "db.internal:5432:orders:app:{V}"},
	{"wget", "wget --http-user=bot --http-password={V} https://x.example.com/f"},
	{"ftp url", "ftp://anonymous:{Q}@ftp.example.com/pub"},
	{"proxy", "https_proxy=http://corp:{Q}@proxy.example.com:3128"},
	{"s3 url", "s3://AKIDX:{Q}@bucket/prefix"},
	{"mysql config", "[client]\nuser = root\npassword = \"{V}\"\nhost = db"},
	{"typed in", "then type the password {V} and press enter"},
	{"credentials line", "login: admin / password: {V}"},
	{"php dsn", "new PDO('mysql:host=db', 'app', password: '{V}')"},
}

// encodedFrames hold the value in another alphabet; the label is the whole
// encoded text.
var encodedFrames = []frame{
	{"kubernetes secret", "apiVersion: v1\nkind: Secret\ndata:\n  {n}: {B}\n"},
	{"echo base64", "echo '{B}' | base64 -d > key.txt"},
	{"base64 in json", `{"encoding":"base64","content":"{B}"}`},
	{"base64 alone", "{B}"},
}

// keyFrames hold a block of several lines.
var keyFrames = []frame{
	{"file", "{V}\n"},
	{"cat", "$ cat id_key\n{V}\n$ ls"},
	{"json", `{"type":"service_account","private_key":"{J}\n","client_id":"1"}`},
	{"json in json", `{"content":"{\"private_key\":\"{JJ}\\n\"}"}`},
	{"yaml block", "tls:\n  key: |\n    {I}\n  port: 443\n"},
	{"diff", "@@ -0,0 +1,20 @@\n+{P}\n context"},
	{"heredoc", "cat > key.pem <<EOT\n{V}\nEOT\nchmod 600 key.pem"},
	{"env, escaped", "PRIVATE_KEY=\"{J}\"\nPORT=1"},
	{"prompt", "this is my key, does it look right?\n\n{V}\n\nthanks"},
	{"crlf", "{R}\r\nnext"},
}

// peopleFrames say who a number belongs to; {L} is what it is called.
var peopleFrames = []frame{
	{"sentence", "Please update the record, {L}: {V}, and confirm."},
	{"is", "My {L} is {V}."},
	{"json", `{"customer":{"{L}":"{J}","vip":true}}`},
	{"json in json", `{"arguments":"{\"{L}\":\"{JJ}\"}"}`},
	{"csv row", "id,{L},plan\n17,{V},3\n"},
	{"csv header", "name;{L}\nA. {w};{L} {V}"},
	{"log", "2026-03-01 10:00:00 INFO lookup {L}={V} status=ok"},
	{"yaml", "person:\n  {L}: {V}\n  active: true\n"},
	{"table", "| {L} {V} | ok |"},
	{"chat", "user: my {L} {V}\nassistant: thanks, noted"},
	{"xml", "<r>{L}: {V}</r>"},
	{"escaped line", `"text":"form\n{L}: {J}\nend"`},
}

// fill puts a value into a frame and returns the text and what of it is the
// value, as it stands there.
func (f frame) fill(d dice, value, name, label string) (text string, parts []string) {
	js := escaped(value)
	forms := map[string]string{
		"{V}": value, "{J}": js, "{JJ}": escaped(js), "{Q}": url.QueryEscape(value), "{B}": base64.StdEncoding.EncodeToString([]byte(value)),
		"{I}": strings.ReplaceAll(value, "\n", "\n    "), "{P}": strings.ReplaceAll(value, "\n", "\n+"), "{R}": strings.ReplaceAll(value, "\n", "\r\n"),
	}
	text = strings.NewReplacer("{N}", upperName(name), "{n}", lowerName(name), "{c}", camelName(name), "{L}", label, "{w}", d.word(), "{u}", d.uuid(), "{h}", d.of(hexLow, 40)).Replace(f.text)
	for hole, form := range forms {
		if strings.Contains(text, hole) {
			text = strings.ReplaceAll(text, hole, "\x00"+form+"\x01")
		}
	}
	var b strings.Builder
	for {
		open := strings.IndexByte(text, 0)
		if open < 0 {
			break
		}
		end := strings.IndexByte(text, 1)
		b.WriteString(text[:open])
		b.WriteString(text[open+1 : end])
		parts = append(parts, text[open+1:end])
		text = text[end+1:]
	}
	return b.String() + text, parts
}

func escaped(s string) string {
	b, _ := json.Marshal(s)
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b[1 : len(b)-1]))
}

func upperName(s string) string {
	return strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(snake(s)))
}
func lowerName(s string) string { return strings.ToLower(snake(s)) }

// snake parts camelCase.
func snake(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; i > 0 && c >= 'A' && c <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			b.WriteByte('_')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func camelName(s string) string {
	parts := strings.FieldsFunc(strings.ToLower(snake(s)), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	for i, p := range parts {
		if i > 0 {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}
