// Package ollama reads the lines of Ollama's own API, /api/chat and /api/generate, streamed or
// whole, and the requests that a proxy recorded. docs/dialects/ollama.md describes how it reads
// them.
package ollama

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is Ollama's own API.
var Dialect = dialect.Dialect{Name: "ollama", Match: match, Time: timeOf, Ends: ends, New: newDecoder}

// provider serves every model of this API.
const provider = "ollama"

// Types of frames. The API's messages name no type.
const (
	typeChat     = "chat"
	typeGenerate = "generate"
	typeRequest  = "request"
	typeError    = "error"
)

// decoder reads one stream: one exchange behind a proxy, otherwise responses one after the other.
type decoder struct {
	model.Exchange
	spoke  bool          // the body of the present request was read
	mixed  bool          // the response in progress may have lines of another response
	ended  int64         // created_at of the latest last line, ns
	final  uint64        // the hash of the latest last line
	latest *dialect.Span // the run that ended last
	name   string        // the model of the response in progress
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.Init(d, provider)
	return d
}

// Message implements model.API.
func (d *decoder) Message(in *dialect.Input) string {
	v := in.JSON
	switch {
	case v == nil || v.Type() != fastjson.TypeObject:
		if in.Transport == schema.HTTP && in.Direction == schema.Receive && d.Refusal.Refused() {
			d.Fail(in.Data, in.Data)
			return typeError
		}
		if in.Transport != schema.HTTP {
			d.Unknown()
		}
		return ""
	case in.Direction == schema.Send:
		return d.request(v, in.Data)
	case v.GetStringBytes("error") != nil:
		why := v.GetStringBytes("error")
		d.Fail(why, why)
		return typeError
	case dialect.IsObject(v.Get("message")):
		d.answer(in, v.Get("message"), "content", dialect.RawMember(in.Data, "message"))
		return typeChat
	case v.GetStringBytes("response") != nil:
		d.answer(in, v, "response", in.Data)
		return typeGenerate
	case v.GetBool("done"): // older servers leave out the message in the last line
		d.answer(in, nil, "", nil)
		return typeChat
	}
	d.Unknown()
	return ""
}

// Request implements model.API.
func (d *decoder) Request(h *dialect.Head) {
	d.Next()
	d.latest = nil
	if d.Foreign = !isEndpoint(h); !d.Foreign {
		d.begin()
	}
}

// isEndpoint reports whether a request calls a model.
func isEndpoint(h *dialect.Head) bool {
	path := bytes.TrimSuffix(h.Path, []byte("/"))
	return string(h.Method) == "POST" && (bytes.HasSuffix(path, []byte("/api/chat")) || bytes.HasSuffix(path, []byte("/api/generate")))
}

// begin begins a response.
func (d *decoder) begin() {
	d.spoke, d.mixed, d.name = false, false, ""
	d.Ask()
}

// timeOf reads a line's created_at, RFC 3339, ns.
func timeOf(in *dialect.Input) int64 {
	if in.JSON == nil {
		return 0
	}
	return dialect.TextTime(in.JSON.GetStringBytes("created_at"))
}

// ends reports whether a line is the last of an answer.
func ends(in *dialect.Input) bool {
	return in.Type == typeError || in.Type != "" && in.JSON != nil && in.JSON.GetBool("done")
}
