package vercelui

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// outcome is how a call ended.
type outcome struct {
	result []byte // nil for none
	media  string
	status schema.Status
	why    []byte
}

func failure(why []byte) outcome { return outcome{why, "text", schema.StatusError, why} }

// outputOf reads an output. The protocol has a chunk for errors, but results of MCP tools and
// Compozy's events come as output also for failures.
func outputOf(output []byte) outcome {
	o := outcome{status: schema.StatusOK}
	o.result, o.media = dialect.RawContent(output)
	if dialect.RawTrue(dialect.RawMember(output, "isError")) {
		if list := dialect.RawMember(output, "content"); len(list) > 0 && list[0] == '[' {
			o.status, o.why = schema.StatusError, firstText(list)
			return o
		}
	}
	if isCompozyEvent(output) {
		if why := dialect.RawText(output, "error"); len(why) > 0 {
			o.status, o.why = schema.StatusError, why
		}
	}
	return o
}

// firstText returns the first text of a list of parts.
func firstText(list []byte) (text []byte) {
	dialect.RawElements(list, func(part []byte) bool {
		text = dialect.RawText(part, "text")
		return text == nil
	})
	return text
}

// toolOutput reads the result of a tool, which may be missing.
func (d *decoder) toolOutput(in *dialect.Input) {
	v := in.JSON
	id := v.GetStringBytes("toolCallId")
	if len(id) == 0 {
		return
	}
	var o outcome
	switch in.Type {
	case "tool-output-denied":
		o = outcome{status: schema.StatusRejected, why: v.GetStringBytes("reason")}
	case "tool-output-error":
		o = failure(v.GetStringBytes("errorText"))
	default:
		o = outputOf(dialect.RawMember(in.Data, "output"))
	}
	one := d.seen(id)
	switch {
	case one == nil:
	case v.GetBool("preliminary"):
		d.SetOutput(one.Tool, o.result)
	default:
		one.provider = one.provider || v.GetBool("providerExecuted")
		d.returned(id, o)
	}
}

// seen returns the call of a result, or nil if it has ended. The stream with the call's start has
// its start and its parent.
func (d *decoder) seen(id []byte) *call {
	if d.Ended(id) {
		return nil
	}
	known := d.OpenTool(id) != nil
	one := d.call(id, nil, false)
	if one != nil && !known {
		one.Span.Started, one.Span.Parent = 0, ""
	}
	return one
}

// returned ends a call.
func (d *decoder) returned(id []byte, o outcome) {
	one := d.seen(id)
	if one == nil {
		return
	}
	if one.denied {
		o.status = schema.StatusRejected
	}
	if o.result != nil {
		d.Returned(one.Tool, o.result, o.media)
	}
	d.endTool(one, o.status, o.why)
}
