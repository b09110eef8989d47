package bedrock

import (
	"bytes"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Answer implements model.API. The request's id names the run.
func (d *decoder) Answer(h *dialect.Head) {
	d.Exchange.Answer(h)
	d.headCounts = headCountsOf(h)
	if id := h.Field("x-amzn-requestid"); len(id) > 0 && d.Run() != nil {
		d.NameRun(string(id))
		d.Billing.RequestID = string(id)
	}
}

// Request implements model.API.
func (d *decoder) Request(h *dialect.Head) {
	d.Next()
	d.ForgetModel()
	d.answer = answer{}
	var name string
	name, d.way = operationOf(h.Path)
	if d.chunks = false; d.way == invokeModel && strings.Contains(name, "amazon.nova") {
		d.way = converse // Nova's own protocol is the same as Converse
	}
	d.other = d.way == invokeModel && isOtherModel(name)
	d.settled, d.headCounts = d.other || strings.Contains(name, "anthropic"), nil
	if d.way == converse || d.other {
		d.Model, d.Provider = name, provider
		d.Billing = model.Billing{RequestedModel: name, Region: regionOf(h.Field("host"))}
		d.OpenRun("")
		d.OpenCall()
	}
}

// regionOf returns the region in a host such as bedrock-runtime.us-east-1.amazonaws.com.
func regionOf(host []byte) string {
	rest, ok := bytes.CutPrefix(host, []byte("bedrock-runtime."))
	region, domain, _ := bytes.Cut(rest, []byte("."))
	if !ok || !bytes.HasPrefix(domain, []byte("amazonaws.com")) {
		return ""
	}
	return dialect.StatedText(region)
}

// request reads the new part of a Converse request's body.
func (d *decoder) request(in *dialect.Input) {
	in.Type = "request"
	messages := in.JSON.Get("messages")
	if d.way == otherOperation || !dialect.IsArray(messages) {
		return
	}
	if d.Run() == nil { // no head was recorded
		d.OpenRun("")
		d.OpenCall()
		d.answer = answer{}
	}
	d.Instruct(dialect.RawWords(dialect.RawMember(in.Data, "system")))
	d.Offer(model.ToolsOf(dialect.RawPath(in.Data, "toolConfig.tools"), "toolSpec.name", "systemTool.name"))
	list := messages.GetArray()
	since := dialect.NewSince(list, dialect.IsAssistant, true)
	dialect.Elements(list, dialect.RawMember(in.Data, "messages"), since, func(_ int, v *fastjson.Value, raw []byte) {
		d.said(part{v, raw})
	})
}

// said records a message of a request: text of the user, and results of tools that the client
// executed.
func (d *decoder) said(p part) {
	if dialect.IsAssistant(p.v) {
		return
	}
	var text []byte
	texts := 0
	content := p.member("content")
	dialect.Elements(content.v.GetArray(), content.raw, 0, func(_ int, v *fastjson.Value, raw []byte) {
		if said := v.GetStringBytes("text"); said != nil {
			if texts++; texts > 1 {
				text = append(text, '\n')
			}
			text = append(text, said...)
		} else if v.Get("toolResult") != nil {
			d.toolResult(part{v, raw}.member("toolResult"))
		}
	})
	if texts > 0 {
		d.AwaitID(d.UserMessage(text))
	}
}

// toolResult reads {"toolUseId","content":[{"text"}|{"json"}],"status"?}.
func (d *decoder) toolResult(p part) {
	result, media := p.member("content").raw, "json"
	var parts []byte
	if words := dialect.RawWords(result); words != nil {
		result, media, parts = words, "text", dialect.OtherParts(result)
	}
	status, why := statusOf(p.v.GetStringBytes("status")), []byte(nil)
	if status == schema.StatusError {
		why = result
	}
	d.ResultWithParts(p.v.GetStringBytes("toolUseId"), result, media, parts, status, why)
}
