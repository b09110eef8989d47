// Package openai reads the two APIs of OpenAI that stream what a model says:
// chat completions, which many other providers serve as well, and Responses.
// docs/dialects/openai-chat.md and docs/dialects/openai-responses.md say what is
// concluded from what.
package openai

import "tapedeck/ingest/dialect"

// Chat is the chat completions API.
var Chat = dialect.Dialect{Name: "openai-chat", Match: matchChat, New: newChat}

// Responses is the Responses API, over HTTP and over a WebSocket.
var Responses = dialect.Dialect{Name: "openai-responses", Match: matchResponses, Ends: dialect.EndsWith("response.completed", "response.failed", "response.incomplete", "response.cancelled"), New: newResponses}
