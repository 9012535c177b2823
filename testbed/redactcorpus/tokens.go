package redactcorpus

import (
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"strings"
)

// maker makes values of one kind. A kind with a mark of its own may stand
// anywhere; one without only behind a name that says what it is.
type maker struct {
	kind string
	name string // of the variable that usually holds it; empty for a marked kind that needs none
	bare bool   // may stand without a name
	make func(d dice) string
}

// crcToken is prefix, 30 random characters and the base-62 CRC-32 of them.
func crcToken(d dice, prefix string) string {
	const digits = digit + upper + lower
	body := d.of(alnum, 30)
	sum, tail := crc32.ChecksumIEEE([]byte(body)), [6]byte{}
	for i := 5; i >= 0; i-- {
		tail[i] = digits[sum%62]
		sum /= 62
	}
	return prefix + body + string(tail[:])
}

func jwt(d dice) string {
	enc := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	alg := pick(d, []string{"HS256", "RS256", "ES256"})
	head := pick(d, []string{`{"alg":"%s","typ":"JWT"}`, `{"typ":"JWT","alg":"%s"}`, `{"alg":"%s","kid":"k1","typ":"at+jwt"}`})
	claims := fmt.Sprintf(`{"sub":"%s","iat":%d,"exp":%d,"scope":"%s"}`, d.of(digit, 10), 1700000000+d.IntN(9999999), 1800000000+d.IntN(9999999), d.word())
	return enc(fmt.Sprintf(head, alg)) + "." + enc(claims) + "." + d.of(b64url, pick(d, []int{43, 86, 342}))
}

// pem is a key block of the given label.
func pem(label string, size int) func(dice) string {
	return func(d dice) string {
		body := lines(d.base64Of(size), 64, "\n")
		return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----"
	}
}

func cut(prefix, alphabet string, n int) func(dice) string {
	return func(d dice) string { return prefix + d.of(alphabet, n) }
}

func uuidOf(prefix string) func(dice) string {
	return func(d dice) string { return prefix + d.uuid() }
}

// tokens are kinds that carry their vendor's mark.
var tokens = []maker{
	{"aws_access_key_id", "AWS_ACCESS_KEY_ID", true, cut("AKIA", b32, 16)},
	{"aws_session_key_id", "AWS_ACCESS_KEY_ID", true, cut("ASIA", b32, 16)},
	{"aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", false, cut("", b64, 40)},
	{"aws_session_token", "AWS_SESSION_TOKEN", false, func(d dice) string { return "IQoJb3JpZ2luX2Vj" + d.base64Of(240) }},
	{"aws_bedrock_key", "AWS_BEARER_TOKEN_BEDROCK", true, func(d dice) string { return "ABSK" + d.base64Of(99) }},
	{"google_api_key", "GOOGLE_API_KEY", true, cut("AIzaSy", b64url, 33)},
	{"google_oauth_secret", "GOOGLE_CLIENT_SECRET", true, cut("GOCSPX-", b64url, 28)},
	{"google_access_token", "GOOGLE_ACCESS_TOKEN", true, cut("ya29.a0", b64url, 160)},
	{"google_refresh_token", "GOOGLE_REFRESH_TOKEN", true, cut("1//0g", b64url, 96)},
	{"azure_storage_key", "AZURE_STORAGE_KEY", false, func(d dice) string { return d.base64Of(64) }},
	{"azure_client_secret", "AZURE_CLIENT_SECRET", true, func(d dice) string {
		return d.of(alnum, 3) + d.of(digit, 1) + "Q~" + d.of(alnum+"-._~", 33) + d.of(alnum, 1)
	}},
	{"azure_openai_key", "AZURE_OPENAI_API_KEY", false, cut("", hexLow, 32)},
	{"openai_project_key", "OPENAI_API_KEY", true, func(d dice) string { return "sk-proj-" + d.of(b64url, 74) + "T3BlbkFJ" + d.of(alnum, 73) + "A" }},
	{"openai_legacy_key", "OPENAI_API_KEY", true, func(d dice) string { return "sk-" + d.of(alnum, 20) + "T3BlbkFJ" + d.of(alnum, 20) }},
	{"anthropic_key", "ANTHROPIC_API_KEY", true, func(d dice) string { return "sk-ant-api03-" + d.of(b64url, 93) + "AA" }},
	{"openrouter_key", "OPENROUTER_API_KEY", true, cut("sk-or-v1-", hexLow, 64)},
	{"huggingface_token", "HF_TOKEN", true, cut("hf_", upper+lower, 34)},
	{"groq_key", "GROQ_API_KEY", true, cut("gsk_", alnum, 52)},
	{"xai_key", "XAI_API_KEY", true, cut("xai-", alnum, 80)},
	{"perplexity_key", "PPLX_API_KEY", true, cut("pplx-", alnum, 48)},
	{"replicate_token", "REPLICATE_API_TOKEN", true, cut("r8_", alnum, 37)},
	{"langsmith_key", "LANGSMITH_API_KEY", true, func(d dice) string { return "lsv2_pt_" + d.of(hexLow, 32) + "_" + d.of(hexLow, 10) }},
	{"langfuse_key", "LANGFUSE_SECRET_KEY", true, uuidOf("sk-lf-")},
	{"deepseek_key", "DEEPSEEK_API_KEY", true, cut("sk-", hexLow, 32)},
	{"mistral_key", "MISTRAL_API_KEY", false, cut("", alnum, 32)},
	{"cohere_key", "COHERE_API_KEY", false, cut("", alnum, 40)},
	{"pinecone_key", "PINECONE_API_KEY", true, func(d dice) string { return "pcsk_" + d.of(alnum, 6) + "_" + d.of(alnum, 63) }},
	{"tavily_key", "TAVILY_API_KEY", true, cut("tvly-dev-", alnum, 32)},
	{"elevenlabs_key", "ELEVENLABS_API_KEY", true, cut("sk_", hexLow, 48)},
	{"nvidia_key", "NVIDIA_API_KEY", true, cut("nvapi-", b64url, 64)},
	{"databricks_token", "DATABRICKS_TOKEN", true, cut("dapi", hexLow, 32)},
	{"github_pat", "GITHUB_TOKEN", true, func(d dice) string { return crcToken(d, "ghp_") }},
	{"github_oauth", "GITHUB_TOKEN", true, func(d dice) string { return crcToken(d, "gho_") }},
	{"github_server", "GH_TOKEN", true, func(d dice) string { return crcToken(d, "ghs_") }},
	{"github_fine_grained", "GITHUB_TOKEN", true, func(d dice) string { return "github_pat_" + d.of(alnum, 22) + "_" + d.of(alnum, 59) }},
	{"gitlab_pat", "GITLAB_TOKEN", true, cut("glpat-", b64url, 20)},
	{"gitlab_deploy", "CI_DEPLOY_PASSWORD", true, cut("gldt-", alnum, 20)},
	{"npm_token", "NPM_TOKEN", true, func(d dice) string { return crcToken(d, "npm_") }},
	{"pypi_token", "TWINE_PASSWORD", true, cut("pypi-AgEIcHlwaS5vcmc", b64url, 150)},
	{"rubygems_key", "GEM_HOST_API_KEY", true, cut("rubygems_", hexLow, 48)},
	{"crates_io_token", "CARGO_REGISTRY_TOKEN", true, cut("cio", alnum, 32)},
	{"docker_pat", "DOCKER_PASSWORD", true, cut("dckr_pat_", b64url, 27)},
	{"atlassian_token", "JIRA_API_TOKEN", true, func(d dice) string { return "ATATT3xFfGF0" + d.of(b64url, 171) + "=" + d.of(hexLow[:10]+"ABCDEF", 8) }},
	{"bitbucket_app_password", "BITBUCKET_APP_PASSWORD", true, cut("ATBB", alnum, 32)},
	{"slack_bot", "SLACK_BOT_TOKEN", true, func(d dice) string { return "xoxb-" + d.of(digit, 12) + "-" + d.of(digit, 13) + "-" + d.of(alnum, 24) }},
	{"slack_user", "SLACK_TOKEN", true, func(d dice) string {
		return "xoxp-" + d.of(digit, 12) + "-" + d.of(digit, 12) + "-" + d.of(digit, 12) + "-" + d.of(hexLow, 32)
	}},
	{"slack_app", "SLACK_APP_TOKEN", true, func(d dice) string {
		return "xapp-1-A" + d.of(upper+digit, 10) + "-" + d.of(digit, 13) + "-" + d.of(hexLow, 64)
	}},
	{"telegram_bot_token", "TELEGRAM_BOT_TOKEN", true, func(d dice) string { return d.of("123456789", 1) + d.of(digit, 9) + ":AA" + d.of(b64url, 33) }},
	{"discord_bot_token", "DISCORD_BOT_TOKEN", false, func(d dice) string { return "MT" + d.of(alnum, 24) + "." + d.of(b64url, 6) + "." + d.of(b64url, 38) }},
	{"stripe_secret", "STRIPE_SECRET_KEY", true, func(d dice) string { return "sk_" + "live_" + d.of(alnum, 99) }},
	{"stripe_restricted", "STRIPE_KEY", true, func(d dice) string { return "rk_" + "live_" + d.of(alnum, 24) }},
	{"stripe_webhook", "STRIPE_WEBHOOK_SECRET", true, cut("whsec_", alnum, 32)},
	{"square_token", "SQUARE_ACCESS_TOKEN", true, cut("sq0atp-", b64url, 22)},
	{"shopify_token", "SHOPIFY_ACCESS_TOKEN", true, cut("shpat_", hexLow, 32)},
	{"sendgrid_key", "SENDGRID_API_KEY", true, func(d dice) string { return "SG." + d.of(b64url, 22) + "." + d.of(b64url, 43) }},
	{"twilio_api_key", "TWILIO_API_KEY", true, cut("SK", hexLow, 32)},
	{"twilio_auth_token", "TWILIO_AUTH_TOKEN", false, cut("", hexLow, 32)},
	{"mailgun_key", "MAILGUN_API_KEY", true, cut("key-", hexLow, 32)},
	{"mailchimp_key", "MAILCHIMP_API_KEY", true, func(d dice) string { return d.of(hexLow, 32) + "-us" + fmt.Sprint(d.between(1, 21)) }},
	{"hubspot_token", "HUBSPOT_TOKEN", true, uuidOf("pat-na1-")},
	{"resend_key", "RESEND_API_KEY", true, func(d dice) string { return "re_" + d.of(alnum, 8) + "_" + d.of(alnum, 24) }},
	{"newrelic_key", "NEW_RELIC_API_KEY", true, cut("NRAK-", upper+digit, 27)},
	{"grafana_sa_token", "GRAFANA_TOKEN", true, func(d dice) string { return "glsa_" + d.of(alnum, 32) + "_" + d.of(hexLow, 8) }},
	{"sentry_user_token", "SENTRY_AUTH_TOKEN", true, cut("sntryu_", hexLow, 64)},
	{"datadog_api_key", "DD_API_KEY", false, cut("", hexLow, 32)},
	{"datadog_app_key", "DATADOG_APP_KEY", false, cut("", hexLow, 40)},
	{"dynatrace_token", "DT_API_TOKEN", true, func(d dice) string { return "dt0c01." + d.of(b32, 24) + "." + d.of(b32, 64) }},
	{"cloudflare_token", "CLOUDFLARE_API_TOKEN", false, cut("", b64url, 40)},
	{"digitalocean_pat", "DIGITALOCEAN_TOKEN", true, cut("dop_v1_", hexLow, 64)},
	{"heroku_key", "HEROKU_API_KEY", true, cut("HRKU-AA", b64url, 58)},
	{"fly_token", "FLY_API_TOKEN", true, func(d dice) string { return "fm2_" + d.base64Of(180) }},
	{"netlify_pat", "NETLIFY_AUTH_TOKEN", true, cut("nfp_", alnum, 36)},
	{"vault_token", "VAULT_TOKEN", true, cut("hvs.CAESI", b64url, 90)},
	{"terraform_token", "TF_TOKEN_app_terraform_io", true, func(d dice) string { return d.of(alnum, 14) + ".atlasv1." + d.of(b64url, 67) }},
	{"pulumi_token", "PULUMI_ACCESS_TOKEN", true, cut("pul-", hexLow, 40)},
	{"doppler_token", "DOPPLER_TOKEN", true, cut("dp.pt.", alnum, 43)},
	{"supabase_pat", "SUPABASE_ACCESS_TOKEN", true, cut("sbp_", hexLow, 40)},
	{"planetscale_password", "DATABASE_PASSWORD", true, cut("pscale_pw_", alnum, 43)},
	{"tailscale_key", "TS_AUTHKEY", true, func(d dice) string { return "tskey-auth-k" + d.of(alnum, 11) + "CNTRL-" + d.of(alnum, 32) }},
	{"linear_key", "LINEAR_API_KEY", true, cut("lin_api_", alnum, 40)},
	{"notion_token", "NOTION_TOKEN", true, cut("ntn_", alnum, 46)},
	{"figma_token", "FIGMA_TOKEN", true, cut("figd_", b64url, 40)},
	{"postman_key", "POSTMAN_API_KEY", true, func(d dice) string { return "PMAK-" + d.of(hexLow, 24) + "-" + d.of(hexLow, 34) }},
	{"sonar_token", "SONAR_TOKEN", true, cut("squ_", hexLow, 40)},
	{"okta_token", "OKTA_API_TOKEN", false, cut("00", b64url, 40)},
	{"wandb_key", "WANDB_API_KEY", false, cut("", hexLow, 40)},
	{"snyk_token", "SNYK_TOKEN", false, dice.uuid},
	{"onepassword_token", "OP_SERVICE_ACCOUNT_TOKEN", true, func(d dice) string { return "ops_eyJ" + strings.TrimRight(d.base64Of(300), "=") }},
	{"age_key", "SOPS_AGE_KEY", true, cut("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)},
	{"facebook_token", "FB_ACCESS_TOKEN", true, cut("EAAG", alnum, 180)},
	{"dropbox_token", "DROPBOX_TOKEN", true, cut("sl.B", b64url, 135)},
	{"mapbox_secret", "MAPBOX_TOKEN", true, func(d dice) string { return "sk.eyJ" + d.of(b64url, 70) + "." + d.of(b64url, 22) }},
	{"jwt", "ACCESS_TOKEN", true, jwt},
	{"alibaba_key_id", "ALIBABA_CLOUD_ACCESS_KEY_ID", true, cut("LTAI5t", alnum, 18)},
	{"airtable_pat", "AIRTABLE_API_KEY", true, func(d dice) string { return "pat" + d.of(alnum, 14) + "." + d.of(hexLow, 64) }},
	{"rsa_key", "", true, pem("RSA "+"PRIVATE KEY", 1190)},
	{"pkcs8_key", "", true, pem("PRIVATE "+"KEY", 138)},
	{"ec_key", "", true, pem("EC "+"PRIVATE KEY", 121)},
	{"openssh_key", "", true, func(d dice) string {
		return strings.Replace(pem("OPENSSH "+"PRIVATE KEY", 299)(d), "\n", "\nb3BlbnNzaC1rZXktdjEA", 1)
	}},
	{"encrypted_key", "", true, func(d dice) string {
		return strings.Replace(pem("RSA "+"PRIVATE KEY", 1190)(d), "\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,"+d.of(digit+"ABCDEF", 32)+"\n\n", 1)
	}},
	{"pgp_key", "", true, pem("PGP "+"PRIVATE KEY BLOCK", 700)},
}
