package anthropic

import (
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// output holds whether the model that answers a message now has generated anything, and which model
// declined before it. A refusal before any output is charged by rules of its own.
type output struct {
	any      bool // since the last fallback
	refused  bool // the message's stop reason is refusal
	category string
	declined []declined
}

// declined is a model that another one replaced.
type declined struct {
	names    [2]string // as the block names it, which may be an alias, and as the message does
	category string
	any      bool // it generated something before it declined
}

// block records the start of a block. Text and thinking count once they have a character.
func (o *output) block(typ string) {
	switch typ {
	case "text", "thinking", "compaction", "fallback":
	default:
		o.any = true
	}
}

// decline records that a model declined and that another model takes over.
func (o *output) decline(from, before string, category []byte) {
	if len(o.declined) < otherModels {
		why := strings.Clone(dialect.StatedText(category))
		o.declined = append(o.declined, declined{[2]string{from, before}, why, o.any})
	}
	o.any = false
}

// refusal reads the reason of a message's end.
func (o *output) refusal(v *fastjson.Value) {
	o.refused = string(v.GetStringBytes("stop_reason")) == "refusal"
	o.category = strings.Clone(dialect.StatedText(v.GetStringBytes("stop_details", "category")))
}

// declinedBy returns the category of the refusal of another model, if it declined before any
// output. If no block says so, a model declined whose iterations generated nothing.
func (o *output) declinedBy(share *Share) (category string, refused bool) {
	for _, d := range o.declined {
		if slices.Contains(d.names[:], share.Model) {
			return d.category, !d.any
		}
	}
	switch string(dialect.RawText(share.Raw, "type")) {
	case "message", "fallback_message":
		return "", share.Tokens.Output+share.Tokens.Reasoning == 0
	}
	return "", false
}

// ReadRefusal reads the reason of a message's end, for dialects that keep the call and the
// message's usage themselves (see Content).
func (m *Messages) ReadRefusal(message *fastjson.Value) { m.output.refusal(message) }

// Refuse marks the usage of a message that the model refused before any output, and reports
// whether it is one.
func (m *Messages) Refuse(u *dialect.Usage) bool {
	if !m.output.refused || m.output.any {
		return false
	}
	u.ServiceTier = schema.RefusedTier(u.ServiceTier, m.output.category)
	return true
}
