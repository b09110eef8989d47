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

// Keys in the field with which browsers send them for WebSockets lose their values, in the ways
// that providers document.
func TestProtocols(t *testing.T) {
	x := NewByName(nil, nil, false)
	for list, want := range map[string]string{
		"realtime, openai-insecure-api-key.abc, openai-beta.realtime-v1":      "realtime, openai-insecure-api-key.[redacted], openai-beta.realtime-v1",
		"realtime,openai-organization.org-x,openai-project.proj_x":            "realtime,openai-organization.[redacted],openai-project.[redacted]",
		"base64url.bearer.authorization.k8s.io.dG9rZW4, base64.binary.k8s.io": "base64url.bearer.authorization.k8s.io.[redacted], base64.binary.k8s.io",
		"xai-client-secret.abc":                           "xai-client-secret.[redacted]", // docs.x.ai
		"token, 0123456789abcdef":                         "token, [redacted]",            // developers.deepgram.com
		"bearer,abc":                                      "bearer,[redacted]",            // likewise
		"realtime, rt_a1B2c3D4e5F6g7H8i9J0k1L2":           "realtime, [redacted]",         // docs.mistral.ai
		"graphql-transport-ws, graphql-ws":                "graphql-transport-ws, graphql-ws",
		"v12.stomp, v11.stomp":                            "v12.stomp, v11.stomp",
		"wamp.2.json, mqtt, ocpp2.0.1, v5.channel.k8s.io": "wamp.2.json, mqtt, ocpp2.0.1, v5.channel.k8s.io",
		"token": "token",
		"":      "",
	} {
		if got := x.Field("sec-websocket-protocol", list); got != want {
			t.Errorf("%s: %s, want %s", list, got, want)
		}
	}
}
