package login

import (
	"crypto/rand"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"tapedeck/internal/problem"
)

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>{{.Title}} · tapedeck</title>
<style nonce="{{.Nonce}}">body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem}h1{font-size:1.4rem}</style></head>
<body><main><h1>{{.Title}}</h1><p>{{.Detail}}</p><p>{{.Hint}}</p><p><a href="/login">To the login</a></p></main></body></html>
`))

// servePage answers a browser with a problem as an HTML page, since during a login no page of the
// UI is loaded that could show the problem.
func servePage(w http.ResponseWriter, p *problem.Problem) {
	nonce := rand.Text()
	quiet(w)
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set(
		"Content-Security-Policy",
		"default-src 'none'; style-src 'nonce-"+nonce+"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	)
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(p.RetryAfter/time.Second)))
	}
	w.WriteHeader(p.Status)
	// A write error means that the client has disconnected.
	_ = page.Execute(w, struct{ Title, Detail, Hint, Nonce string }{p.Title, p.Detail, p.Hint, nonce})
}

// quiet prevents caching of an answer, and keeps the answer's address out of the Referer header of
// requests to other sites.
func quiet(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
}

// clip truncates an untrusted text for a page.
func clip(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "…"
	}
	return strings.TrimSpace(text)
}
