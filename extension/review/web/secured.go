package web

import "net/http"

// Nothing of a page may come from elsewhere, run from inside the page, or be shown
// inside another one.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Secured gives every answer the headers that keep it private and dead, also those
// that something before the pages gives, such as an authenticator.
func Secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guard(w.Header())
		next.ServeHTTP(w, r)
	})
}

func guard(head http.Header) {
	head.Set("Content-Security-Policy", contentPolicy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
}

// Refuse answers a request that the server around the handler does not let through.
func (h *Handler) Refuse(w http.ResponseWriter, r *http.Request, status int) {
	guard(w.Header())
	p := problem{status, "the request is not understood", "send it without compression"}
	if status == http.StatusUnauthorized {
		p = problem{status, "evidence is not for everyone", "show who you are in the way that WWW-Authenticate names: in a browser, reload the page"}
	}
	h.fail(w, r, p)
}
