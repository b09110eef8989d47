package gemini

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// answer is one response: the chunks with one responseId, or, where chunks name
// none, those up to the last finishReason.
type answer struct {
	begun      bool
	ended      bool
	id         string
	run, call  *dialect.Span
	usage      *dialect.Usage
	candidates []candidate
	more       bool // something came after the end
}

// candidate is one of the answers that a response offers.
type candidate struct {
	index   int
	done    bool
	reason  string
	why     []byte             // what finishMessage said
	growing schema.MessageKind // of its text that grows, "" for none
	said    *dialect.Message   // the latest of the assistant's
	notes   notes              // of said
	open    openTools
}

// candidateLimit bounds those of one response; the API allows 8.
const candidateLimit = 16

// response reads a GenerateContentResponse and gives its type.
func (d *decoder) response(v *fastjson.Value, raw []byte) string {
	if inside := v.Get("response"); isObject(inside) { // of Code Assist
		v, raw = inside, dialect.RawMember(raw, "response")
	}
	if e := v.Get("error"); e != nil && e.Type() != fastjson.TypeNull {
		d.failure(e)
		return "error"
	}
	candidates, id := v.GetArray("candidates"), v.GetStringBytes("responseId")
	feedback, model := v.Get("promptFeedback"), v.GetStringBytes("modelVersion")
	usage := dialect.RawMember(raw, "usageMetadata")
	if candidates == nil && feedback == nil && usage == nil && model == nil && len(id) == 0 {
		d.Unknown()
		if typ := v.GetStringBytes("type"); typ != nil {
			return d.typ.Own(typ)
		}
		return ""
	}
	d.settle(id, candidates)
	d.answered(model)
	d.offer(candidates, raw)
	d.count(usage)
	if reason := feedback.GetStringBytes("blockReason"); len(reason) > 0 {
		d.blocked(reason, feedback.GetStringBytes("blockReasonMessage"))
		return responseType
	}
	d.mayEnd()
	return responseType
}

// responseType is what the API calls its answers, which name no type.
const responseType = "GenerateContentResponse"

// settle tells which response a chunk belongs to, and begins one.
func (d *decoder) settle(id []byte, candidates []*fastjson.Value) {
	a := &d.answer
	if a.begun {
		other := false
		switch {
		case len(id) > 0:
			other = string(id) != a.id && (a.id != "" || a.ended)
		case a.ended:
			for i, c := range candidates {
				known := a.find(indexOf(c, i))
				other = other || known == nil || known.done
			}
		}
		if other {
			d.letGo()
		}
	}
	if !a.begun {
		if d.Run() == nil {
			d.Model, d.Provider = "", provider
			d.OpenRun("")
		}
		a.run, a.call = d.Run(), d.InCall()
		a.begun = true
	}
	if len(id) > 0 && a.id == "" {
		a.id = d.runID.Own(id)
		d.nameRun(a.id)
	}
}

// find gives a candidate that was seen, or nil.
func (a *answer) find(index int) *candidate {
	for i := range a.candidates {
		if a.candidates[i].index == index {
			return &a.candidates[i]
		}
	}
	return nil
}

// of gives the candidate with an index.
func (a *answer) of(index int) *candidate {
	if c := a.find(index); c != nil {
		return c
	}
	if len(a.candidates) >= candidateLimit {
		return &a.candidates[candidateLimit-1]
	}
	a.candidates = append(a.candidates, candidate{index: index})
	return &a.candidates[len(a.candidates)-1]
}

// answered takes the model that the answer names, which is more exact than the
// one that was asked for.
func (d *decoder) answered(model []byte) {
	if len(model) == 0 || string(model) == d.Model {
		return
	}
	d.Model, d.Provider = string(model), provider
	for _, s := range []*dialect.Span{d.answer.run, d.answer.call} {
		if s == nil {
			continue // an error has no call
		}
		s.Model, s.Provider = d.Model, provider
		if s.Kind == schema.SpanLLM {
			s.Name = d.Model
		}
		d.Emitter.ChangedSpan(s, d.Frame)
	}
}

// resume takes up a response that had ended: more came of it.
func (d *decoder) resume() {
	a := &d.answer
	if a.ended && !a.more {
		d.Nest(a.run)
		d.Resume(a.call)
		a.more = true
	}
}

// letGo says that no more will come of the response: without a finishReason it
// is unclosed.
func (d *decoder) letGo() {
	d.Abandon()
	d.answer = answer{}
	d.asked, d.RunID = nil, ""
}
