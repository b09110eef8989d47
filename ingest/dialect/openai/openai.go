// Package openai reads OpenAI's two streaming APIs for models: chat completions, which many other
// providers serve as well, and Responses. docs/dialects/openai-chat.md and
// docs/dialects/openai-responses.md describe how it reads them.
package openai

import "tapedeck/ingest/dialect"

// Chat is the chat completions API.
var Chat = dialect.Dialect{Name: "openai-chat", Match: matchChat, New: newChat}

// Responses is the Responses API, over HTTP and over a WebSocket.
var Responses = dialect.Dialect{
	Name: "openai-responses", Match: matchResponses,
	Ends: dialect.EndsWith("response.completed", "response.failed", "response.incomplete", "response.cancelled"), New: newResponses,
}
