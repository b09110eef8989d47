package redact

import "testing"

// Secrets in a request target lose their values wherever a server may read parameters:
// between "&" or ";" in the query and the fragment, and after ";" in the path.
func TestTargetParameters(t *testing.T) {
	x := NewByName(nil, nil, false)
	for target, want := range map[string]string{
		"/p?a=1;token=x":                   "/p?a=1;token=[redacted]",
		"/p?a=1;token=x&b=2":               "/p?a=1;token=[redacted]&b=2",
		"/p?a=1;b=2":                       "/p?a=1;b=2",
		"/p?token=x;y":                     "/p?token=[redacted]", // "x;y" where only "&" separates
		"/p?a=1;token=x;y":                 "/p?a=1;token=[redacted]",
		"/p?pat=x&pattern=y":               "/p?pat=[redacted]&pattern=y",
		"/p;token=x":                       "/p;token=[redacted]",
		"/p;v=1;token=x/q;r=2?b=3":         "/p;v=1;token=[redacted]/q;r=2?b=3",
		"/token=x/q":                       "/token=x/q", // no parameter
		"/p;token":                         "/p;token",
		"/p;to%6ben=x#token=y":             "/p;to%6ben=[redacted]#token=[redacted]",
		"https://u:p@h/p;jsessionid=x?a=1": "https://redacted@h/p;jsessionid=[redacted]?a=1",
	} {
		if got := x.URL(target); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}
