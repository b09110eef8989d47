// Package content reads what Google's protocols have in common with the Gemini API: a Content
// with its parts, and usageMetadata.
package content

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Counting is how usageMetadata counts (protocols, section 2.7). The prompt includes tokens from
// the cache, but not tokens that tools add to it. The candidates do not include thoughts. So total
// = prompt + tools + candidates + thoughts. Each usageMetadata covers the whole answer so far: the
// last one counts.
var Counting = dialect.Counting{
	Input:           "promptTokenCount+toolUsePromptTokenCount",
	CacheRead:       "cachedContentTokenCount",
	Output:          "candidatesTokenCount|responseTokenCount",
	Reasoning:       "thoughtsTokenCount",
	Total:           "totalTokenCount",
	InputHoldsCache: true,
	Mode:            schema.UsageAdd,
	Bill:            &dialect.Bill{ServiceTier: "serviceTier|trafficType"},
}

// Ask records a content of a request: text of the user, and results of functions that the client
// executed.
func Ask(t *model.Conversation, v *fastjson.Value, raw []byte) {
	var text []byte
	var others dialect.List
	texts := 0
	dialect.Elements(v.GetArray("parts"), dialect.RawMember(raw, "parts"), 0, func(_ int, part *fastjson.Value, raw []byte) {
		if said := part.GetStringBytes("text"); said != nil {
			if texts++; texts > 1 {
				text = append(text, '\n')
			}
			text = append(text, said...)
		} else if result := part.Get("functionResponse"); result != nil {
			Respond(t, result, dialect.RawMember(raw, "functionResponse"))
		} else if kind := KindOf(raw); kind != "" && len(others) < otherParts {
			others.AddText([]byte(kind))
		}
	})
	if texts == 0 && len(others) == 0 {
		return
	}
	m := t.UserMessage(text)
	m.Attributes = dialect.Attribute("parts", others.JSON())
	t.AwaitID(m)
}

// otherParts bounds the list of a message's parts that are not text, bytes.
const otherParts = 256

// KindOf returns the kind of a part: the first member that is not metadata.
func KindOf(part []byte) string {
	members, ok := dialect.MembersOf(part)
	for ok {
		var name []byte
		if name, _, ok = members.Next(); ok {
			switch string(name) {
			case "thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata":
			default:
				return dialect.Intern(name)
			}
		}
	}
	return ""
}

// Respond records a functionResponse, {"id"?,"name","response"}. Without an id its call is not
// known, and stays as it is.
func Respond(t *model.Conversation, v *fastjson.Value, raw []byte) {
	id, name := v.GetStringBytes("id"), v.GetStringBytes("name")
	response := dialect.RawMember(raw, "response")
	if len(id) == 0 {
		m := t.Say(schema.MessageResult, response)
		m.Name, m.Media, m.Span = string(name), "json", t.InRun().ID
		t.AwaitID(m)
		return
	}
	status, why := schema.StatusOK, v.GetStringBytes("response", "error")
	if !dialect.IsNull(v.Get("response", "error")) {
		status = schema.StatusError
		if why == nil {
			why = dialect.RawPath(raw, "response.error")
		}
	}
	t.ResultOf(id, name, response, "json", status, why)
}
