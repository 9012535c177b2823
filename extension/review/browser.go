package review

import "net/http"

// tokenAsPassword takes the password of HTTP's basic authentication for a bearer
// token, whatever the name: a browser asks its user for the one and not for the other.
func tokenAsPassword(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, token, ok := r.BasicAuth(); ok {
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "Bearer "+token)
		}
		next.ServeHTTP(w, r)
	})
}

// challenges say to a client how its user may show who they are. A browser asks for
// a name and a password if Basic is among them.
func (c *Config) challenges() (out []string) {
	auth := c.ServerConfig.Auth.Get()
	if auth == nil {
		return nil
	}
	basic := auth.Config.AuthenticatorID.Type().String() == "basicauth"
	if basic || c.TokenAsPassword {
		out = append(out, `Basic realm="review", charset="UTF-8"`)
	}
	if !basic {
		out = append(out, `Bearer realm="review"`)
	}
	return out
}

// refuse answers what the server around the pages does not let through.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, _ string, status int) {
	if status == http.StatusUnauthorized {
		for _, c := range s.cfg.challenges() {
			w.Header().Add("WWW-Authenticate", c)
		}
	}
	s.handler.Refuse(w, r, status)
}
