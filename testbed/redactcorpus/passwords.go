package redactcorpus

import (
	"encoding/base64"
	"strings"
)

// password is what people and generators choose.
func password(d dice) string {
	switch d.IntN(6) {
	case 0:
		return d.of(alnum, d.between(10, 24))
	case 1:
		return d.word() + d.of(digit, 2) + pick(d, []string{"!", "#", "_", "%", "*"})
	case 2:
		w := d.word()
		return strings.ToUpper(w[:1]) + w[1:] + "-" + d.word() + "-" + d.of(digit, 3)
	case 3:
		return d.of(alnum, 8) + pick(d, []string{"!", "^", "*", "-", "+"}) + d.of(alnum, 8)
	case 4:
		return d.of(lower, d.between(9, 14))
	}
	return d.of(hexLow, 32)
}

// safePassword has only what a URL's userinfo may hold.
func safePassword(d dice) string { return d.of(alnum+"-_.~", d.between(8, 24)) + d.of(alnum, 1) }

// opaque is a token of no vendor.
func opaque(d dice) string {
	switch d.IntN(4) {
	case 0:
		return d.of(hexLow, pick(d, []int{32, 40, 64}))
	case 1:
		return d.of(alnum, d.between(24, 48))
	case 2:
		return strings.TrimRight(d.base64Of(d.between(24, 40)), "=")
	}
	return d.of(b64url, d.between(30, 60)) + "7"
}

var passwordNames = strings.Fields(`password Password PASSWORD passwd DB_PASSWORD db_password dbPassword POSTGRES_PASSWORD MYSQL_ROOT_PASSWORD PGPASSWORD REDIS_PASSWORD
	spring.datasource.password admin_password userPassword smtp_password SMTP_PASS db_pass rootpw_password keystore_password LDAP_BIND_PASSWORD ansible_password basic_auth_password`)

var tokenNames = strings.Fields(`api_key API_KEY apiKey apikey x-api-key client_secret CLIENT_SECRET clientSecret secret_key SECRET_KEY SECRET_KEY_BASE auth_token AUTH_TOKEN authToken
	access_token accessToken refresh_token refreshToken JWT_SECRET SESSION_SECRET session_token encryption_key ENCRYPTION_KEY signing_secret webhook_secret bearer_token service_token
	api_secret API_TOKEN api-token private_token master_key app_secret token consumer_secret signingKey deploy_token`)

func basicAuth(d dice) string {
	return base64.StdEncoding.EncodeToString([]byte(d.word() + ":" + password(d)))
}
