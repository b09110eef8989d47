package redact

import (
	"strings"
	"testing"

	"tapedeck/schema"
)

// Short values of URL parameters are masked in any text if their names say that they are secrets; words,
// numbers, placeholders and source code are not.
func TestURLParameters(t *testing.T) {
	for text, masked := range map[string]bool{
		"https://h.example/p?token=a1b2c3d4e":                    true,
		"https://h.example/p?x=1&access_token=Qz81mVbx&y=2":      true,
		"https://h.example/p?accessToken=x9Kd-2mQ_7":             true,
		"https://h.example/p?sig=3kd9%2Bx1w2":                    true,
		"https://h.example/p?signature=QmVxZrTLpw":               true,
		"https://h.example/p?api_key=9f8e7d6c5":                  true,
		"https://h.example/p?client_secret=zx81-kk29":            true,
		"https://h.example/cb#id_token=a1b2c3d4e5f6":             true,
		"<a href='https://h.example/p?a=1&amp;token=a1b2c3d4e'>": true,
		`https://h.example/p?a=1\u0026token=a1b2c3d4e`:           true,
		"https://h.example/cb?code=4xk29dq1z7&state=1":           true,
		"https://h.example/cb?code=4xk29dq1z7bb0Pm3XwQz&a=1":     true,
		"https://h.example/p?key=3fk2a9c1dx":                     true,

		"https://h.example/p?token=tok1":                   false, // too short
		"https://h.example/p?token=your-token-1":           false,
		"https://h.example/p?token=%7Btoken1%7D&x=1":       false,
		"https://h.example/p?token=access-token-2":         false,
		"https://h.example/p?token=documentation":          false,
		"https://h.example/p?token=YOUR_ACCESS_TOKEN":      false,
		"https://h.example/p?token=20261127":               false,
		"https://h.example/p?key=documentation":            false,
		"https://h.example/p?key=section-12-3":             false,
		"https://h.example/p?key=20261127":                 false,
		"https://h.example/p?key=img/11/a1b2.png":          false,
		"https://h.example/p?code=HTTP_404_NOT_FOUND":      false,
		"https://h.example/p?code=ERR12345":                false,
		"https://h.example/p?code=error-of-the-first-kind": false,
		"https://h.example/p?page_token=a1b2c3d4e":         false,
		"https://h.example/p?keyword=a1b2c3d4e":            false,
		"var a=1;token=read2x9q;b()":                       false,
		"if(a&token==b2c3d4e5f){}":                         false,
		"x&token=b64d3c0de(y)":                             false,
	} {
		raw := quoted(map[string]string{"url": strings.ReplaceAll(text, `\u`, `\\u`)})
		for _, whole := range []string{raw, text} {
			out := record(t, Default().NewMasker(), []*schema.Frame{{Transport: schema.NDJSON, Raw: []byte(whole)}})
			if got := strings.Contains(string(out[0].Raw), "[redacted:"); got != masked {
				t.Errorf("%s became %s", whole, out[0].Raw)
			}
		}
	}
}
