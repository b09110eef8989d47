package clients

import (
	"testing"
)

// asks has a script ask for each capture, served by a command of its own, and
// compares what the library made of it with what the captured text holds.
func asks[T any](t *testing.T, script, dir string, read func(t *testing.T, path string) T, names ...string) {
	t.Helper()
	var want, got []T
	var servers []string
	for _, name := range names {
		path := capture(t, dir+"/"+name)
		want = append(want, read(t, path))
		servers = append(servers, emulate(t, "http", path).URL)
	}
	node(t, &got, nil, script, servers...)
	if len(got) != len(want) {
		t.Fatalf("%d outcomes of %d captures", len(got), len(want))
	}
	for i, name := range names {
		t.Run(name, func(t *testing.T) { same(t, got[i], want[i]) })
	}
}

func TestOpenAIChat(t *testing.T) {
	t.Parallel()
	asks(t, "openai-chat.mjs", "openai_chat", readChat,
		"openai_chat_stream.sse", "openai-text.chunks.txt", "deepseek-tool-call.chunks.txt")
}

// Of a response that failed, the library reports the error.
func TestOpenAIResponses(t *testing.T) {
	t.Parallel()
	asks(t, "openai-responses.mjs", "openai_responses", readResponse,
		"background_part1.sse", "openai-error.1.chunks.txt", "openai-web-search-tool.1.chunks.txt")
}

func TestAnthropicMessages(t *testing.T) {
	t.Parallel()
	asks(t, "anthropic-messages.mjs", "anthropic_messages", readMessage,
		"anthropic-text.chunks.txt", "anthropic-mcp.1.chunks.txt", "anthropic-web-search-tool.1.chunks.txt",
		"anthropic_compaction_cache_stream.sse", "anthropic_thinking_stream.sse")
}

func TestGemini(t *testing.T) {
	t.Parallel()
	path := capture(t, "gemini_api/google-text.chunks.txt")
	want := readContent(t, path)
	var got content
	node(t, &got, nil, "gemini.mjs", emulate(t, "http", path).URL)
	same(t, got, want)
}
