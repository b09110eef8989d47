package redact

import (
	"bytes"
	"strings"
	"testing"

	"tapedeck/schema"
)

// Secrets in the other fields of an event, and in what stands before and behind JSON, are masked.
func TestAroundJSON(t *testing.T) {
	secret := example("gh~p_~{36}", 1)
	for _, tc := range []struct {
		transport schema.Transport
		raw       string
	}{
		{schema.SSE, "id: %\ndata: {\"a\":1}\n\n"},
		{schema.SSE, "data: {\"a\":1}\nid: %\n\n"},
		{schema.SSE, "event: %\ndata: {\"a\":1}\n\n"},
		{schema.SSE, "retry: %\ndata: [1]\n\n"},
		{schema.SSE, "%: x\ndata: \"a\"\n\n"},
		{schema.SSE, ": %\ndata: {\"a\":1}\n\n"},
		{schema.SSE, "data: {\"a\":1}\n: %\n\n"},
		{schema.SSE, "data: {\"a\":\ndata: \"%\"}\n\n"},
		{schema.NDJSON, "{\"a\":1} %\n"},
		{schema.NDJSON, "{\"a\":1}{\"b\":2} % {\"c\":3}\n"},
	} {
		for _, other := range []bool{false, true} {
			m := Default().NewMasker()
			raw := strings.Replace(tc.raw, "%", secret, 1)
			frames := []*schema.Frame{{Transport: tc.transport, Raw: []byte(raw)}}
			if other { // after a frame that may be the beginning of a secret
				frames = append([]*schema.Frame{{Transport: tc.transport, Raw: []byte("data: {\"a\":\"ghp_\"}\n\n")}}, frames...)
			}
			out := record(t, m, frames)
			want := strings.Replace(tc.raw, "%", "[redacted:github-token#1]", 1)
			if got := out[len(out)-1].Raw; string(got) != want {
				t.Errorf("%q became %q", raw, got)
			}
		}
	}
	for _, raw := range []string{"data: 1234567890123\n\n", "id: 1\ndata: {\"a\":1}\n\n"} {
		out := record(t, Default().NewMasker(), []*schema.Frame{{Transport: schema.SSE, Raw: []byte(raw)}})
		if !bytes.Equal(out[0].Raw, []byte(raw)) {
			t.Errorf("%q became %q", raw, out[0].Raw)
		}
	}
}

// A user and a password in base64 are masked wherever they are called Basic, in both alphabets.
func TestBasicAuthorization(t *testing.T) {
	for in, want := range map[string]string{
		"Basic dXNlcjpodW50ZXIyaHVudGVyMg==":    "Basic [redacted:basic-authorization#1]",
		"Basic w7w6_z_-Pn4_YWJjZA":              "Basic [redacted:basic-authorization#1]", // ü:, and bytes with - and _
		"Basic instructions":                    "Basic instructions",
		"Basic authentication2026 and Basic 16": "Basic authentication2026 and Basic 16",
	} {
		out := record(t, Default().NewMasker(), []*schema.Frame{{Transport: schema.NDJSON, Raw: []byte(`{"Authorization":"` + in + `"}`)}})
		if got := string(out[0].Raw); got != `{"Authorization":"`+want+`"}` {
			t.Errorf("%s became %s", in, got)
		}
	}
}
