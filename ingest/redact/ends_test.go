package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"tapedeck/schema"
)

// A secret at the end of a text is masked although the next text at the same place, which may be
// another one, goes on with letters.
func TestEndOfText(t *testing.T) {
	for _, r := range Rules() {
		if r.Open {
			continue
		}
		text := example(r.Example, 3)
		secret := secretOf(t, &r, text)
		public := map[string]bool{}
		for _, key := range r.Keywords {
			for i := 0; i+6 <= len(key); i++ {
				public[key[i:i+6]] = true
			}
		}
		for name, form := range forms {
			out := record(t, Default().NewMasker(), form([]string{"one", "two", "see " + text, "done", "and more"}))
			if part := traces(out, secret, public); part != "" {
				t.Errorf("%s, %s: %q is in %s", r.ID, name, part, all(out))
			}
		}
	}
}

// Pieces of plain text that look like JSON, or like its beginning, are pieces of the text.
func TestPiecesLikeJSON(t *testing.T) {
	secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for _, pieces := range [][]string{
		{"use ghp_16C7e42F", "292", "c6912E7710c838347Ae178B4a now"},
		{"use ghp_", "1", "6C7e42F292c6912E7710c838347Ae178B4", "a now"},
		{"use ghp_16C7e42F292c", "6912", "E7710c838347Ae17", "8", "B4a"},
		{`{"token": "ghp_16C7e42F292c`, `6912E7710c838347Ae178B4a", "n": 1`, "}"},
		{"[", `"ghp_16C7e42F292c`, `6912E7710c838347Ae178B4a`, `", "and more"`, "]"},
		{`{"a": 1} ghp_16C7e42F292c`, "6912E7710c838347Ae178B4a."},
	} {
		for _, transport := range []schema.Transport{schema.WebSocket, schema.HTTP, schema.SSE} {
			var frames []*schema.Frame
			for _, piece := range pieces {
				if transport == schema.SSE {
					piece = "data: " + piece + "\n\n"
				}
				frames = append(frames, &schema.Frame{Transport: transport, Raw: []byte(piece)})
			}
			out := record(t, Default().NewMasker(), frames)
			if part := traces(out, secret[4:], nil); part != "" || strings.Contains(all(out), "292") || !strings.Contains(all(out), "[redacted:github-token#1]") {
				t.Errorf("%q became %q", pieces, all(out))
			}
			for i, f := range out {
				if json.Valid(frames[i].Raw) && !json.Valid(f.Raw) {
					t.Errorf("%q became %q, which is not JSON", frames[i].Raw, f.Raw)
				}
			}
		}
	}
}
