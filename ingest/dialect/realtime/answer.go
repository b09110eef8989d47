package realtime

import (
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// answer is a response in progress, or the place for the next one.
type answer struct {
	model.Conversation
	d     *decoder
	items []item
	id    dialect.Last
	over  string // the response that ended last
	key   []byte // scratch
}

// besideLimit bounds the out-of-band responses in progress.
const besideLimit = 8

func (d *decoder) newAnswer() *answer {
	return &answer{d: d, Conversation: model.Conversation{Stream: &d.stream}}
}

// answerOf returns the response of an event, by its response_id or the id of its response. An
// unknown response takes the place of one that has ended, or is kept beside the one in progress.
func (d *decoder) answerOf(v *fastjson.Value) *answer {
	id := v.GetStringBytes("response_id")
	if len(id) == 0 {
		id = v.GetStringBytes("response", "id")
	}
	if len(id) == 0 || string(id) == d.RunID {
		return d.answer
	}
	for _, a := range d.beside {
		if a.RunID == string(id) {
			return a
		}
	}
	if d.Run() == nil {
		return d.answer
	}
	if len(d.beside) >= besideLimit {
		d.beside[0].Abandon()
		d.beside = slices.Delete(d.beside, 0, 1)
	}
	a := d.newAnswer()
	a.Session, a.Model, a.Provider = d.Session, d.Model, d.Provider
	d.beside = append(d.beside, a)
	return a
}

// distinct is the length from which on an id is taken as unique. Some servers number theirs.
const distinct = 20

// shared returns an id that other streams may use as well, or "" for an id that may not be
// unique.
func shared(id []byte) string {
	if len(id) < distinct {
		return ""
	}
	return string(id)
}

// begin begins the run of a response if it is not in progress: with its request, if that was seen.
// A response whose start was not seen has no start.
func (a *answer) begin(id []byte, first bool) {
	if a.Run() != nil {
		return
	}
	a.items = a.items[:0]
	a.RunID = a.id.Own(id)
	var run, call *dialect.Span
	if len(id) < distinct {
		run, call = a.OpenRun(""), a.OpenCall()
	} else {
		run, call = a.OpenRunAs("run:"+a.RunID, ""), a.OpenCallAs("llm:"+a.RunID)
	}
	a.NameRun(a.RunID)
	switch asked := a.d.asked; {
	case !first:
		run.Started, call.Started = 0, 0
	case asked != 0:
		run.Started, call.Started, a.d.asked = asked, asked, 0
	}
}

// in begins the run of an event.
func (a *answer) in(v *fastjson.Value) { a.begin(v.GetStringBytes("response_id"), false) }

func (a *answer) created(in *dialect.Input) {
	a.begin(in.JSON.GetStringBytes("response", "id"), true)
}

// done reads a response at its end. A response that has ended is not counted again.
func (a *answer) done(in *dialect.Input) {
	r := in.JSON.Get("response")
	id := r.GetStringBytes("id")
	if a.Run() == nil && len(id) > 0 && string(id) == a.over {
		return
	}
	a.begin(id, false)
	raw := dialect.RawMember(in.Data, "response")
	dialect.Elements(r.GetArray("output"), dialect.RawMember(raw, "output"), 0, func(_ int, v *fastjson.Value, raw []byte) {
		a.whole(v, raw)
	})
	if u := r.Get("usage"); dialect.IsObject(u) {
		a.Billing.MessageID = string(id)
		a.Count(nil, &counting, shared(id), a.Call(), dialect.RawMember(raw, "usage"))
	}
	if reason := r.GetStringBytes("status_details", "reason"); len(reason) > 0 {
		a.Run().Attributes = dialect.TextAttribute("stop_reason", string(reason))
	}
	status, why := statusOf(r)
	if len(why) > 0 {
		a.Say(schema.MessageError, why)
	}
	a.EndRun(status, why)
	a.over = a.RunID
	clear(a.items)
	a.items = a.items[:0]
	a.d.beside = slices.DeleteFunc(a.d.beside, func(x *answer) bool { return x == a })
}

// statusOf returns how a response ended. An incomplete one was cut off by its length or by a
// filter.
func statusOf(r *fastjson.Value) (status schema.Status, why []byte) {
	switch string(r.GetStringBytes("status")) {
	case "cancelled":
		return schema.StatusCancelled, nil
	case "failed":
		why = dialect.FirstText(r.Get("status_details", "error"), "message", "code", "type")
		return schema.StatusError, why
	}
	return schema.StatusOK, nil
}

// counting is how responses count: input_tokens includes tokens from a cache, output_tokens
// reasoning, and both include the tokens of audio.
var counting = dialect.Counting{
	Input:                "input_tokens",
	CacheRead:            "input_token_details.cached_tokens",
	Output:               "output_tokens",
	Reasoning:            "output_token_details.reasoning_tokens",
	Total:                "total_tokens",
	InputHoldsCache:      true,
	OutputHoldsReasoning: true,
	Mode:                 schema.UsageAdd,
	Bill: &dialect.Bill{
		Input: dialect.Modalities{
			Text: "input_token_details.text_tokens", Audio: "input_token_details.audio_tokens", Image: "input_token_details.image_tokens",
		},
		CacheRead: dialect.Modalities{
			Text:  "input_token_details.cached_tokens_details.text_tokens",
			Audio: "input_token_details.cached_tokens_details.audio_tokens",
			Image: "input_token_details.cached_tokens_details.image_tokens",
		},
		Output:          dialect.Modalities{Text: "output_token_details.text_tokens", Audio: "output_token_details.audio_tokens"},
		InputHoldsCache: true,
	},
}

// transcription is how the transcription of speech counts.
var transcription = dialect.Counting{
	Input: "input_tokens", Output: "output_tokens", Total: "total_tokens", Mode: schema.UsageAdd,
	Bill: &dialect.Bill{Input: dialect.Modalities{Text: "input_token_details.text_tokens", Audio: "input_token_details.audio_tokens"}},
}
