package anthropicagent

import (
	"bytes"
	"slices"
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// result is the result of a tool, while it is incomplete.
type result struct {
	id      string
	tool    *model.Tool
	message *dialect.Message
	images  dialect.List
	at      int64 // when its first piece came, ns: the tool had ended by then
}

// failedPrefix begins the result of a tool that raised an exception. No other member states the
// failure.
var failedPrefix = []byte("Error executing tool: ")

// result adds to the result of a tool.
func (d *decoder) result(a *agent, id, name, chunk []byte, server bool) {
	if r := a.resultOf(id); r != nil {
		a.Emitter.Append(r.message, chunk, a.Frame)
		return
	}
	if len(id) > 0 && a.Ended(id) {
		return // seen before, for example in the client's request
	}
	tool := a.OpenTool(id)
	if tool == nil {
		tool = d.unseen(a, id, name)
		if server || bytes.HasPrefix(id, serverPrefix) {
			a.serve(tool)
		}
	}
	if len(a.results) >= resultLimit {
		d.resultEnd(a, []byte(a.results[0].id), nil)
	}
	message := a.Returned(tool, chunk, "text")
	message.Complete = false
	a.results = append(a.results, result{id: string(id), tool: tool, message: message, at: a.Frame.At})
}

// unseen begins a call of which this stream has the result only. On a new connection it is a call
// that the run waited for.
func (d *decoder) unseen(a *agent, id, name []byte) *model.Tool {
	if len(id) > 0 && (a.Run() == nil || a.leg && a.spokeAt == 0) {
		a.resume(d.asked.takeTime(d.Frame.At), id)
	}
	d.inRun(a)
	tool := a.Tool(id, name)
	tool.Span.Started, tool.Span.Parent = 0, "" // the stream with the call's start has them
	return tool
}

func (a *agent) resultOf(id []byte) *result {
	for i := range a.results {
		if a.results[i].id == string(id) {
			return &a.results[i]
		}
	}
	return nil
}

// image adds an image to a result. The image itself is in the frame only.
func (a *agent) image(id, src, media []byte) {
	r := a.resultOf(id)
	if r == nil {
		return
	}
	var image dialect.Attributes
	image.AddText("media_type", string(media))
	if bytes.HasPrefix(src, []byte("data:")) {
		image.AddRaw("bytes", strconv.AppendInt(nil, int64(len(src)), 10))
	} else {
		image.AddText("src", dialect.Short(src))
	}
	if len(r.images)+len(image) > citesLimit {
		return
	}
	r.images.Add([]byte(image.Text()))
	r.message.Attributes = dialect.Attribute("images", r.images.JSON())
	a.Emitter.ChangedMessage(r.message, a.Frame)
}

// resultEnd ends a call: its result is complete. log is the successor's log of the call, JSON, or
// empty.
func (d *decoder) resultEnd(a *agent, id, log []byte) {
	r := a.resultOf(id)
	if r == nil {
		return
	}
	tool, text := r.tool, r.message.TextSoFar()
	r.message.Media = mediaOf(text, served(tool))
	a.Emitter.Complete(r.message, a.Frame)
	status, why := statusOf(text, served(tool))
	if len(log) > 0 && wellformed.JSON(log) {
		if failed := dialect.RawMember(log, "is_error"); failed != nil {
			status, why = schema.StatusOK, nil
			if dialect.RawTrue(failed) {
				status, why = schema.StatusError, text
			}
		}
		a.logged(tool, log)
	}
	a.EndTool(tool, status, why)
	tool.Span.Ended = max(r.at, tool.Span.Started)
	at, server := r.at, served(tool)
	*r = a.results[len(a.results)-1]
	a.results = slices.Delete(a.results, len(a.results)-1, len(a.results))
	d.returned(a, tool.Span.CallID, status, log)
	if server {
		a.spokeAt = at // the call is part of the model's output
		return
	}
	a.turn = nil
	if a.Run() != nil && a.Call() == nil && !a.running() {
		a.ready = a.Frame.At
	}
}

// completeResults completes results whose rest will not come.
func (a *agent) completeResults() {
	for i := range a.results {
		a.Emitter.Complete(a.results[i].message, a.Frame)
	}
	a.results = nil
}

// logged keeps what the successor's log states of a call: its duration, and the sub-agent in it.
func (a *agent) logged(tool *model.Tool, log []byte) {
	if ms, err := strconv.ParseFloat(string(dialect.RawMember(log, "duration_ms")), 64); err == nil && ms > 0 && ms < 1e12 {
		tool.Span.Duration = int64(ms * 1e6)
	}
	before := len(tool.Attrs)
	if details := dialect.RawMember(log, "details"); len(details) > len("{}") && len(details) <= citesLimit && string(details) != "null" {
		tool.Attrs.AddRaw("details", details)
	}
	if agents := dialect.RawPath(log, "nested_conversation.agents"); len(agents) > len("{}") && len(agents) <= citesLimit && string(agents) != "null" {
		tool.Attrs.AddRaw("nested_agents", agents)
	}
	if len(tool.Attrs) > before {
		a.Noted(tool)
	}
}

// mediaOf distinguishes JSON from text. Results of the API's own tools are JSON, but old servers
// write them as a JSON string with the library's printed form.
func mediaOf(text []byte, server bool) string {
	if isJSON(text) || server && len(text) > 0 && text[0] == '"' && wellformed.JSON(text) {
		return "json"
	}
	return "text"
}

// statusOf returns whether a call failed, from its result.
func statusOf(text []byte, server bool) (schema.Status, []byte) {
	switch {
	case bytes.HasPrefix(text, failedPrefix):
		return schema.StatusError, text[len(failedPrefix):]
	case !server || !isJSON(text):
	case bytes.HasSuffix(dialect.RawText(text, "type"), []byte("_error")):
		if code := dialect.RawText(text, "error_code"); len(code) > 0 {
			return schema.StatusError, code
		}
		return schema.StatusError, text
	}
	return schema.StatusOK, nil
}
