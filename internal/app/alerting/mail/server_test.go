package mail

import (
	"strings"
	"testing"
)

// URLs of mail servers that cannot be used, and would send a password unencrypted, are refused.
func TestParseServer(t *testing.T) {
	for raw, want := range map[string]server{
		"smtp://mail.example.com":             {host: "mail.example.com", port: 587},
		"smtp://ops@mail.example.com:2525/":   {host: "mail.example.com", port: 2525, user: "ops"},
		"smtps://a%40b.example@[2001:db8::1]": {host: "2001:db8::1", port: 465, security: implicitTLS, user: "a@b.example"},
		"smtp://127.0.0.1?tls=off":            {host: "127.0.0.1", port: 25, security: plaintext},
	} {
		if got, err := parseServer(raw); err != nil || got != want {
			t.Errorf("%s: %+v, %v", raw, got, err)
		}
	}
	for raw, want := range map[string]string{
		"":                                 "it must be a URL",
		"mail.example.com:587":             "it must be a URL",
		"http://mail.example.com":          "it must be a URL",
		"smtp://":                          "it must be a URL",
		"smtp://ops:hush@mail.example.com": "without a password",
		"smtp://mail.example.com/x":        "it must be a URL",
		"smtp://mail.example.com:0":        "it must be a URL",
		"smtp://mail.example.com?tls=no":   "it must be a URL",
		"smtps://mail.example.com?tls=off": "it must be a URL",
		"smtp://ops@127.0.0.1?tls=off":     "would be sent unencrypted",
	} {
		_, err := parseServer(raw)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
}

// Senders and recipients are addresses of one mailbox.
func TestParseAddress(t *testing.T) {
	for _, bad := range []string{"", "ops", "Ops <ops@example.com>", "a@example.com, b@example.com", "ops@example.com\r\nBcc: x@example.com", " ops@example.com"} {
		if got, err := parseAddress(bad); err == nil {
			t.Errorf("%q was accepted as %q", bad, got)
		}
	}
	if got, err := parseAddress("ops+alerts@example.com"); err != nil || got != "ops+alerts@example.com" {
		t.Errorf("%q, %v", got, err)
	}
}
