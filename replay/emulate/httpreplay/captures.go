package httpreplay

import (
	"net/http"
	"net/url"
	"slices"

	"tapedeck/schema"
)

// captures maps dialects to the way in which their streams are served if they were recorded without
// requests, from a file or by "record --sse". These dialects belong to UIs and agents and have no
// provider's path. Server-sent events of dialects that are not listed are served as others.
var captures = map[string]*provider{
	"ag-ui": {ends: []string{"RUN_FINISHED", "RUN_ERROR"}},
	"vercel-ui": {
		ends: []string{"finish", "abort", "finish_message"}, done: "[DONE]",
		field: [2]string{"X-Vercel-Ai-Ui-Message-Stream", "v1"},
	},
	"a2a":                 {ends: []string{"message", "error"}, over: overA2A},
	"mcp":                 {calls: true, ends: []string{"result", "error", "batch"}},
	"cohere":              {named: true, ends: []string{"message-end"}},
	"adk":                 {},
	"bedrock":             {messages: true, whole: "converse", ends: []string{"metadata", "message_stop", "converse"}, over: overBedrock},
	"google-interactions": {named: true, ends: []string{"interaction.completed", "interaction.complete"}},
	"langgraph":           {ends: []string{"end", "error"}},
	"ollama":              {lines: true, ends: []string{"error"}, over: overOllama},
}

// others describes streams of server-sent events of all remaining dialects that have no emulated
// server of their own.
var others = &provider{}

// ownServers lists the dialects whose recordings another emulated server plays.
var ownServers = []string{"loom", "anthropic-agent", "compozy"}

// providerOf returns how a stream without requests is served, nil if it is not served.
func providerOf(s *schema.StreamState) *provider {
	switch p := providers[s.Dialect]; {
	case p != nil:
		return p
	case captures[s.Dialect] != nil:
		return captures[s.Dialect]
	case s.Transport == schema.SSE && !slices.Contains(ownServers, s.Dialect):
		return others
	}
	return nil
}

// sourcePath returns the path of the address from which a stream was recorded, "" if it was not
// recorded from an address.
func sourcePath(s *schema.StreamState) string {
	u, err := url.Parse(s.Source)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	if u.Path == "" {
		return "/"
	}
	return u.Path
}

// sourceQuery returns the query of the address from which a stream was recorded, nil if it had
// none.
func sourceQuery(s *schema.StreamState) url.Values {
	u, err := url.Parse(s.Source)
	if err != nil || u.RawQuery == "" || sourcePath(s) == "" {
		return nil
	}
	return u.Query()
}

// anyPath is shown as the path of a stream that is served at any path.
const anyPath = "any path"

// anywhere reports whether the exchange answers a request with this method at any path.
func (x *exchange) anywhere(method string) bool {
	return x.provider != nil && x.provider.at == nil && x.source == "" && x.answers(method)
}

// answers reports whether a request with this method may have requested a stream of which only the
// answer was recorded. In MCP a POST has the answer to its message; a GET has the events that a
// server sends by itself, until the client leaves.
func (x *exchange) answers(method string) bool {
	switch {
	case !x.provider.calls:
		return method == http.MethodPost || method == http.MethodGet || method == http.MethodPut
	case method == http.MethodGet:
		return x.unasked && x.stream.Transport == schema.SSE
	}
	return method == http.MethodPost && (!x.unasked || x.broke())
}

// refusesStream reports whether a request at a path asks an MCP server, of which only answers were
// recorded, for events that are sent without a request, or to end a session. The server then
// answers 405 (MCP, Streamable HTTP).
func (b *index) refusesStream(method, path string) bool {
	return (method == http.MethodGet || method == http.MethodDelete) && slices.ContainsFunc(b.exchanges, func(x *exchange) bool {
		return x.provider != nil && x.provider.calls && (x.at(http.MethodPost, path) || x.anywhere(http.MethodPost))
	})
}
