package httpreplay

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"tapedeck/internal/secrets"
	"tapedeck/replay"
	"tapedeck/replay/emulate/jsonrpc"
	"tapedeck/schema"
)

// exchange is a recorded request with the location of its answer on the tape.
type exchange struct {
	stream      *schema.StreamState
	id          string // unique in its session: the position of its first frame
	method      string
	path        string // unescaped
	query       url.Values
	resumed     string            // the Last-Event-ID of its request
	upgrade     bool              // to a WebSocket
	turns       []schema.Position // positions of the client's messages on a WebSocket
	body        *fingerprint
	secret      []place        // places in the body whose values were not recorded
	calls       []jsonrpc.Call // the JSON-RPC messages of the body; nil if it has none
	first, last schema.Position
	asked       int64 // when the request was complete, ns; the clock starts here
	ended       int64 // time of the last frame, ns

	recording int // number of the recording within the session, from 0; later recordings have higher numbers

	provider *provider // set for an answer recorded without its request; else nil
	source   string    // with provider: the path from which the stream was recorded; "" if unknown
	frames   int       // with provider: number of frames of the answer
	closed   bool      // with provider: the last event of the answer, or another answer behind it, was recorded
	unasked  bool      // with provider: the answer has only requests and notifications of an MCP server
}

// broke reports whether the answer broke off, or its recording did. The answer of a client that
// left did not.
func (x *exchange) broke() bool {
	return !x.closed && !x.stream.Complete() && !x.stream.Abandoned()
}

// staysOpen reports whether the server did not end the answer to a GET, a stream of events with
// this header. If it ended, an EventSource would connect again and receive all of it once more.
func (x *exchange) staysOpen(method string, h http.Header) bool {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return method == http.MethodGet && strings.EqualFold(strings.TrimSpace(kind), "text/event-stream") &&
		(x.stream.Abandoned() || x.provider != nil && x.provider.calls) && !x.closed
}

// provider describes at which paths the streams of a dialect are served: the paths of a model
// provider, or any path.
type provider struct {
	path string // readable form
	// at matches the provider's paths, with and without the version, since base URLs may contain
	// it; nil for any path.
	at   *regexp.Regexp
	ends []string // types of frames after which another response begins
	// over reports whether another response begins after a frame, where the type does not say it; nil
	// for never.
	over func(*replay.Frame) bool
	// types maps the type of an answer's first frame to another provider that serves the answer.
	types map[string]*provider
	// calls is set if requests are JSON-RPC messages of MCP.
	calls bool
	// named is set if the name of an event is its type.
	named bool
	done  string // the end marker of streams
	whole string // type of an answer that is not streamed
	lines bool   // lines are sent as lines and not as server-sent events
	// messages is set if lines are sent as messages of an AWS event stream.
	messages bool
	field    [2]string // name and value of a response header field that clients require
}

// completions describes the older API of OpenAI. A whole answer has the type of a chunk.
var completions = &provider{
	path: "/v1/completions", at: regexp.MustCompile(`^(/v1)?/completions$`),
	done: "[DONE]", whole: "text_completion", ends: []string{"[DONE]"},
}

// providers maps dialects to providers.
var providers = map[string]*provider{
	"anthropic-messages": {
		path: "/v1/messages", at: regexp.MustCompile(`^(/v1)?/messages$`), named: true, whole: "message",
		ends: []string{"message_stop", "message", "error"},
	},
	"openai-chat": {
		path: "/v1/chat/completions", at: regexp.MustCompile(`^(/v1)?/chat/completions$`),
		done: "[DONE]", whole: "chat.completion",
		ends:  []string{"[DONE]", "chat.completion"},
		types: map[string]*provider{"text_completion": completions},
	},
	"openai-responses": {
		path: "/v1/responses", at: regexp.MustCompile(`^(/v1)?/responses$`), named: true, whole: "response",
		ends: []string{"response.completed", "response.failed", "response.incomplete", "response.cancelled",
			"response"},
	},
	// The responses of all models have the same form, and the path may name any model.
	"gemini": {
		path: "/v1beta/models/{model}:streamGenerateContent",
		at:   regexp.MustCompile(`^(/v1|/v1beta|/v1alpha)?/models/[^/]+:streamGenerateContent$`),
	},
}

// at reports whether the exchange is for a method and path.
func (x *exchange) at(method, path string) bool {
	if x.provider == nil {
		return x.method == method && samePath(x.path, path)
	}
	if x.source != "" && x.source == path {
		return x.answers(method)
	}
	return x.method == method && x.provider.at != nil && x.provider.at.MatchString(path)
}

// samePath reports whether a path matches a recorded path. In the recorded path Mask may replace
// the rest of a segment.
func samePath(recorded, path string) bool {
	if !strings.Contains(recorded, redacted) {
		return recorded == path
	}
	want, got := strings.Split(recorded, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(want, got string) bool {
		begin, masked := strings.CutSuffix(want, redacted)
		return want == got || masked && strings.HasPrefix(got, begin)
	})
}

// asks reports whether a query matches the recorded query.
func (x *exchange) asks(q url.Values) bool {
	if len(q) != len(x.query) {
		return false
	}
	for name, values := range x.query {
		if len(q[name]) != len(values) {
			return false
		}
		for i, v := range values {
			if v != q[name][i] && v != redacted {
				return false
			}
		}
	}
	return true
}

// redacted replaces secrets in recorded heads.
const redacted = secrets.Mask
