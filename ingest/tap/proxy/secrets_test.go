package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tapedeck/ingest/redact"
	"tapedeck/schema"
)

// None of the secrets that an attacker tried is in what is recorded, in heads, bodies
// and the stream's source; the upstream gets all of them as they were sent.
func TestSecretsAreNotRecorded(t *testing.T) {
	fields := []string{
		"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "X-Auth-Token", "X-Access-Token", "X-Csrf-Token",
		"X-Amz-Security-Token", "Ocp-Apim-Subscription-Key", "Helicone-Auth", "X-Portkey-Api-Key", "Cf-Aig-Authorization", "X-Vault-Token",
		"Private-Token", "X-Functions-Key", "Anthropic-Api-Key", "X-My-Token", "X-Forwarded-Access-Token", "Openai-Organization",
		"X-Client-Cert", "X-Otp", "X-Pin", "Dpop", "X-My-Creds", "X-Csrf", "X-Hmac",
		"X-Custom", // by --redact
	}
	parameters := []string{"key", "api_key", "access_token", "sig", "client_secret", "code", "authorization", "sessionid", "mine"}
	var seen string
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = fmt.Sprint(r.Header, r.URL.RawQuery, string(body))
		w.Header().Set("X-Session-Secret", "HIDE-answer")
		w.Header()["Set-Cookie"] = []string{"theme=HIDE-theme; Path=/; HttpOnly", "HIDE-bare"}
		w.Header().Set("Location", "https://user:HIDE-pw@host/next?code=HIDE-code")
		w.Header().Set("X-Ratelimit-Remaining-Tokens", "41")
	}), func(o *Options) { o.Redact, o.SessionHeader = []string{"x-custom", "mine"}, "X-Session-Token" })
	query := "model=m"
	for _, name := range parameters {
		query += "&" + name + "=HIDE-" + name
	}
	body := `{"model":"m", "api_key" : "HIDE-body", "max_tokens":5,"messages":[{"token":"kept"}],"mine":"HIDE\"mine","n":1}`
	req := s.request(t, "POST", "/v1/chat?"+query, body)
	req.Header.Set("Content-Type", "application/json")
	for _, name := range fields {
		req.Header.Set(name, "a=HIDE-"+name)
	}
	req.Header.Set("Idempotency-Key", "shown-1")
	req.Header.Set("X-Session-Token", "shown-2")
	s.do(t, req)
	for _, name := range append(fields, parameters...) {
		if name != "Proxy-Authorization" && !strings.Contains(seen, "HIDE-"+name) { // which is the proxy's own
			t.Errorf("the upstream did not see %s", name)
		}
	}
	if !strings.Contains(seen, body) {
		t.Errorf("the upstream saw %s", seen)
	}
	r := s.one(t)
	recorded := r.state.Source
	for _, f := range r.frames {
		recorded += string(f.Raw)
	}
	if strings.Contains(recorded, "HIDE") {
		t.Errorf("a secret was recorded: %s", recorded)
	}
	for _, want := range []string{
		`{"model":"m", "api_key" : "[redacted]", "max_tokens":5,"messages":[{"token":"kept"}],"mine":"[redacted]","n":1}`,
		"Idempotency-Key: shown-1", "X-Session-Token: shown-2", "X-Ratelimit-Remaining-Tokens: 41", "Cookie: a=[redacted]\r\n",
		"Set-Cookie: theme=[redacted]; Path=/; HttpOnly\r\nSet-Cookie: [redacted]\r\n", "Location: https://redacted@host/next?code=[redacted]\r\n",
		"Helicone-Auth: [redacted]\r\n", "X-Session-Secret: [redacted]\r\n", "&sessionid=[redacted]&mine=[redacted]",
	} {
		if !strings.Contains(recorded, want) {
			t.Errorf("%q is not recorded:\n%s", want, recorded)
		}
	}
	for _, f := range r.frames {
		if json.Valid(f.Raw) && f.Direction == schema.Send && !f.Flags.Has(schema.FlagRedacted) {
			t.Errorf("the body is marked %q", f.Flags)
		}
	}
}

// Credentials for the upstream are sent with requests that have none of their own, and are not recorded.
func TestCredentialsOfUpstream(t *testing.T) {
	for _, way := range []string{"option", "URL"} {
		var seen string
		up := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header.Get("Authorization") }))
		defer up.Close()
		s, address := &setup{}, up.URL
		if way == "URL" {
			address = strings.Replace(up.URL, "://", "://me:HIDE-1@", 1)
		}
		s.begin(t, address, func(o *Options) {
			if way == "option" {
				o.Authorization = "Basic bWU6SElERS0x"
			}
		})
		s.do(t, s.request(t, "GET", "/p", ""))
		if seen != "Basic bWU6SElERS0x" {
			t.Errorf("%s: the upstream saw %q", way, seen)
		}
		req := s.request(t, "GET", "/p", "")
		req.Header.Set("Authorization", "Bearer HIDE-2")
		s.do(t, req)
		if seen != "Bearer HIDE-2" {
			t.Errorf("%s: the upstream saw %q in place of the client's own", way, seen)
		}
		for _, r := range s.recorded(t, 2) {
			recorded := r.state.Source
			for _, f := range r.frames {
				recorded += string(f.Raw)
			}
			if strings.Contains(recorded, "HIDE") || strings.Contains(recorded, "bWU6") {
				t.Errorf("%s: recorded %s", way, recorded)
			}
		}
	}
}

// Reads that a body came in stay in order where a secret was cut out of it.
func TestRedactedCuts(t *testing.T) {
	text := `{"a":1,"token":"0123456789012345678901234567890","b":2}`
	f := &schema.Frame{Raw: []byte(text)}
	for at := range len(text) {
		f.Cuts = append(f.Cuts, schema.Cut{Offset: uint32(at)})
	}
	redact.NewByName(nil, nil, false).Body(f)
	last := uint32(0)
	for i, c := range f.Cuts {
		if c.Offset < last || int(c.Offset) > len(f.Raw) {
			t.Errorf("cut %d at %d, after %d", i, c.Offset, last)
		}
		last = c.Offset
		if before, after := text[i], f.Raw[min(int(c.Offset), len(f.Raw)-1)]; (i < 16 || i > 46) && before != after {
			t.Errorf("cut %d was before %q, is before %q", i, before, after)
		}
	}
}
