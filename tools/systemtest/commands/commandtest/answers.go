package commandtest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// ThinkingStream returns the server-sent events of an answer of Anthropic's Messages API with the
// message id: thinking, then text in 12 pieces, 43 input and 282 output tokens.
func ThinkingStream(id string) []byte {
	var out strings.Builder
	event := func(kind, members string) {
		fmt.Fprintf(&out, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, members)
	}
	event("message_start", fmt.Sprintf(`,"message":{"id":%q,"type":"message","role":"assistant","model":"claude-sonnet-4-20250514","content":[],"stop_reason":null,"usage":{"input_tokens":43,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}}`, id))
	event("content_block_start", `,"index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`)
	event("ping", "")
	event("content_block_delta", `,"index":0,"delta":{"type":"thinking_delta","thinking":"The question is how to cross a street with care."}`)
	event("content_block_delta", `,"index":0,"delta":{"type":"signature_delta","signature":"c2lnbmVk"}`)
	event("content_block_stop", `,"index":0`)
	event("content_block_start", `,"index":1,"content_block":{"type":"text","text":""}`)
	for _, piece := range []string{
		"Stop at ", "the edge of the pavement. ", "Look left, ", "then right, ", "then left again. ", "Listen for vehicles ", "that are hidden ",
		"behind a corner. ", "Wait until every driver ", "has seen you. ", "Walk straight across, ", "and never run.",
	} {
		event("content_block_delta", fmt.Sprintf(`,"index":1,"delta":{"type":"text_delta","text":%q}`, piece))
	}
	event("content_block_stop", `,"index":1`)
	event("message_delta", `,"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":282}`)
	event("message_stop", "")
	return []byte(out.String())
}

// CaseText returns the received bytes of a test case of a dialect: name is a path below
// ingest/dialect.
func CaseText(t *testing.T, name string) []byte {
	t.Helper()
	var text []byte
	for _, f := range dialecttest.Case(t, filepath.Join(Repository(t), "ingest", "dialect", filepath.FromSlash(name))) {
		if f.Direction != schema.Send {
			text = append(text, f.Raw...)
		}
	}
	return text
}

// Fixtures returns the folder with captured streams beside the repository, "" if it does not exist.
func Fixtures(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(Repository(t), "..", "shared", "fixtures")
	if found, err := filepath.Glob(filepath.Join(dir, "SOURCES.md")); err != nil || len(found) == 0 {
		return ""
	}
	return dir
}
