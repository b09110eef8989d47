package gemini

import (
	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// answer is one response: the chunks with one responseId. Chunks without an id belong to one
// response up to the last finishReason.
type answer struct {
	begun      bool
	ended      bool
	id         string
	run, call  *dialect.Span
	usage      *dialect.Usage
	tools      schema.ToolUses
	candidates []candidate
	more       bool   // chunks came after the end
	final      uint64 // the hash of the latest chunk of a response that has ended
}

// candidate is one of the answers of a response.
type candidate struct {
	index   int
	done    bool
	reason  string
	why     []byte             // its finishMessage
	growing schema.MessageKind // of its growing text, "" for none
	said    *dialect.Message   // the latest of the assistant
	notes   notes              // attributes of said
	open    openTools
}

// candidateLimit bounds the candidates of one response. The API allows 8.
const candidateLimit = 16

// response reads a GenerateContentResponse and returns its type.
func (d *decoder) response(v *fastjson.Value, raw []byte) string {
	if inside := v.Get("response"); dialect.IsObject(inside) { // Code Assist wraps responses
		v, raw = inside, dialect.RawMember(raw, "response")
	}
	if e := v.Get("error"); !dialect.IsNull(e) {
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
	if d.tail.AgainNamed(raw, d.inProgress()) && len(id) > 0 {
		d.Emitter.Mark(d.Frame, schema.FlagEventRepeat, 0)
		return responseType
	}
	d.settle(id, candidates)
	if d.answer.ended && d.answer.final == xxhash.Sum64(raw) {
		return responseType // the last chunk again
	}
	d.CorrectModel(model, provider, d.answer.run, d.answer.call)
	d.offer(candidates, raw)
	for _, c := range candidates {
		d.answer.grounded(c)
	}
	d.count(usage)
	if reason := blockReasons.name(feedback.Get("blockReason")); reason != "" {
		d.blocked([]byte(reason), feedback.GetStringBytes("blockReasonMessage"))
		return responseType
	}
	d.mayEnd()
	if d.answer.ended {
		d.answer.final = xxhash.Sum64(raw)
	}
	return responseType
}

// responseType is the API's name of its answers, which name no type.
const responseType = "GenerateContentResponse"

// settle makes the response of a chunk the present one.
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
			d.turnTo(id)
		}
	}
	if !a.begun {
		if d.Run() == nil {
			d.Model, d.Provider, d.Billing = "", provider, model.Billing{}
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

// find returns a candidate that was seen, or nil.
func (a *answer) find(index int) *candidate {
	for i := range a.candidates {
		if a.candidates[i].index == index {
			return &a.candidates[i]
		}
	}
	return nil
}

// of returns the candidate with an index.
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

// resume continues a response that had ended, as more of it came.
func (d *decoder) resume() {
	a := &d.answer
	if a.ended && !a.more {
		d.Nest(a.run)
		d.Resume(a.call)
		a.more = true
	}
}

// leave settles the response. Without a finishReason it is unclosed.
func (d *decoder) leave() {
	d.Abandon()
	d.answer = answer{}
	d.ForgetRun()
}
