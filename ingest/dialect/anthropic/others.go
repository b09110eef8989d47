package anthropic

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// others holds the usage of other models for a message: an adviser that was called, or the model
// that another one replaced. Each has a usage of its own beside the message's usage.
type others struct {
	usages []*dialect.Usage
	calls  []*dialect.Span // calls of models that another one replaced
}

// otherModels bounds the other models of a message.
const otherModels = 8

// Share is the part of a message's usage that one model has.
type Share struct {
	Model  string
	Tokens schema.Tokens
	Raw    []byte // its last iteration
}

// Shares returns the shares of all models other than own.
func Shares(usage []byte, own string) (shares []Share) {
	eachIteration(usage, func(iteration []byte, t schema.Tokens) {
		name := dialect.RawText(iteration, "model")
		if isOwn(name, own) {
			return
		}
		for i := range shares {
			if shares[i].Model == string(name) {
				shares[i].Tokens = dialect.AddTokens(shares[i].Tokens, t)
				shares[i].Raw = iteration
				return
			}
		}
		if len(shares) < otherModels {
			shares = append(shares, Share{string(name), t, iteration})
		}
	})
	return shares
}

// isOwn reports whether an iteration belongs to the model own, as does an iteration without a name.
func isOwn(name []byte, own string) bool { return len(name) == 0 || own == "" || string(name) == own }

// eachIteration calls see with each iteration of a usage that counts something.
func eachIteration(usage []byte, see func(iteration []byte, t schema.Tokens)) {
	dialect.RawElements(dialect.RawMember(usage, "iterations"), func(iteration []byte) bool {
		if t, ok := Total(iteration); ok {
			see(iteration, t)
		}
		return true
	})
}

// record records the shares of other models for the message with an id, or replaces them.
func (o *others) record(t *model.Conversation, of string, shares []Share, said *output) {
	for i := range shares {
		u := o.usage(t, of, shares[i].Model)
		u.Tokens, u.Raw = shares[i].Tokens, string(shares[i].Raw)
		if category, refused := said.declinedBy(&shares[i]); refused {
			u.ServiceTier = schema.RefusedTier(u.ServiceTier, category)
		}
		t.Emitter.ChangedUsage(u, t.Frame)
	}
}

// usage returns the usage of a model, and begins it if there is none.
func (o *others) usage(t *model.Conversation, of, name string) *dialect.Usage {
	for _, u := range o.usages {
		if u.Model == name {
			return u
		}
	}
	id, scope := "usage:"+of+":"+name, of+":"+name
	if of == "" {
		id = t.ID("usage")
		scope = id
	}
	u := t.UseTokens(id, scope, o.call(t, name), schema.UsageAdd, schema.Tokens{})
	u.Model, u.Provider = name, dialect.ProviderOf(name)
	if u.RequestedModel != name {
		u.RequestedModel = "" // the server or the model requested it
	}
	o.usages = append(o.usages, u)
	return u
}

// call returns the call of a model, or the call in which the model was called.
func (o *others) call(t *model.Conversation, name string) *dialect.Span {
	for _, call := range o.calls {
		if call.Model == name {
			return call
		}
	}
	return t.Call()
}

// fallback reads a block with which another model takes over from one that declined. Its output is
// a call of its own.
func (m *Messages) fallback(block *fastjson.Value) {
	t, name := m.trace, block.GetStringBytes("to", "model")
	from, category := block.GetStringBytes("from", "model"), block.GetStringBytes("trigger", "category")
	m.output.decline(string(from), t.Model, category)
	call := t.Call()
	if call == nil || len(name) == 0 || string(name) == t.Model {
		return
	}
	if d := m.output.declined; m.usage != nil && len(d) > 0 && !d[len(d)-1].any {
		// It stays so if the answer is cut off here.
		m.usage.ServiceTier = schema.RefusedTier(m.usage.ServiceTier, d[len(d)-1].category)
		t.Emitter.ChangedUsage(m.usage, t.Frame)
	}
	if len(m.others.calls) < otherModels {
		m.others.calls = append(m.others.calls, call)
	}
	if m.Runs {
		t.CorrectModel(name, "", t.Run())
	} else {
		t.SetModel(string(name), "")
	}
	t.OpenCall()
}

// ForgetOthers begins another message, for dialects that keep the call and the message's usage
// themselves (see Content).
func (m *Messages) ForgetOthers() { m.others, m.output = others{}, output{} }

// CountOthers records the usage of other models for a message of such a dialect.
func (m *Messages) CountOthers(id string, usage []byte) {
	m.others.record(m.trace, id, Shares(usage, m.trace.Model), &m.output)
}
