package redact

import (
	"encoding/base64"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/schema"
)

// A declared secret is masked at every split point, as it is, in URLs and in base64 at each
// of its three places in a group.
func TestDeclared(t *testing.T) {
	value := "correct horse/battery+ 7"
	e, err := New(Options{Declared: []Declared{{"DB_PASSWORD", value}}})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"plain": value, "query": url.QueryEscape(value)}
	for offset := range 3 {
		whole := base64.StdEncoding.EncodeToString([]byte("abc"[:offset] + value + "xyz"))
		texts["base64 "+"012"[offset:offset+1]] = whole[4 : len(whole)-8] // what depends on the value alone
	}
	for kind, text := range texts {
		full := "x " + text + " y"
		if strings.HasPrefix(kind, "base64") {
			offset := int(kind[7] - '0')
			full = base64.StdEncoding.EncodeToString([]byte("abc"[:offset] + value + "xyz"))
		}
		for name, form := range forms {
			for at := 0; at <= len(full); at++ {
				out := record(t, e.NewMasker(), form([]string{full[:at], full[at:], " more"}))
				if part := traces(out, text, nil); part != "" || !strings.Contains(all(out), "[redacted:db-password#1]") {
					t.Fatalf("%s, %s, split %d: %q is in %s", kind, name, at, part, all(out))
				}
			}
		}
	}
	if _, err := New(Options{Declared: []Declared{{"PIN", "1234"}}}); err == nil {
		t.Error("a value of four bytes was accepted")
	}
}

// A declared secret is masked as the encoders of several languages write it in URLs.
func TestDeclaredInURLs(t *testing.T) {
	e, err := New(Options{Declared: []Declared{{"DB_PASSWORD", "pa!ss word/9+a(b)*~="}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"pa%21ss+word%2F9%2Ba%28b%29%2A~%3D",   // Go, url.QueryEscape
		"pa!ss%20word%2F9%2Ba(b)*~%3D",         // encodeURIComponent
		"pa!ss%20word/9+a(b)*~=",               // encodeURI
		"pa%21ss%20word/9%2Ba%28b%29%2A~%3D",   // Python, quote
		"pa%21ss%20word%2F9%2Ba%28b%29%2A~%3D", // Python, quote with safe=""
		"pa%21ss+word%2F9%2Ba%28b%29*%7E%3D",   // Java, URLSearchParams
		"pa%21ss%20word%2f9%2ba%28b%29%2a~%3d", // small digits
	} {
		out := record(t, e.NewMasker(), []*schema.Frame{{Transport: schema.HTTP, Raw: []byte("q=" + text + "&r=1")}})
		if got := string(out[0].Raw); got != "q=[redacted:db-password#1]&r=1" {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// Rules of a file are applied: by pattern, and by the place in JSON.
func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rules.yaml")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("rules:\n  - {id: acme-key, keywords: [acme_], pattern: '[a-z0-9]{8}'}\n  - {id: tool-password, path: tools.input.password}\n")
	own, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(Options{Own: own.Rules, Paths: own.Paths})
	if err != nil {
		t.Fatal(err)
	}
	in := `{"tools":[{"input":{"password":"hunter2","user":"acme_12345678","password2":"x"}}],"password":"kept"}`
	want := `{"tools":[{"input":{"password":"[redacted:tool-password#1]","user":"[redacted:acme-key#1]","password2":"x"}}],"password":"kept"}`
	for _, way := range []schema.Direction{schema.Receive, schema.Send} {
		out := record(t, e.NewMasker(), []*schema.Frame{{Transport: schema.NDJSON, Direction: way, Raw: []byte(in)}})
		if string(out[0].Raw) != want {
			t.Errorf("%s: %s", way, out[0].Raw)
		}
	}
	for _, bad := range []string{"", "rules: []", "rules: [{id: X, path: a}]", "rules: [{id: x}]", "rules: [{id: x, path: a, pattern: b}]",
		"rules: [{id: x, keywords: [k], pattern: '('}]", "rules: [{id: x, pattern: a}]", "rules: [{id: x, keywords: [k], pattern: 'a$'}]", "rules: [{id: x, patern: a}]"} {
		write(bad)
		if _, err := ReadFile(path); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
