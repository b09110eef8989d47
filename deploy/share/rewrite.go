package share

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"tapedeck/deploy/access"
	"tapedeck/ingest/redact"
)

// names are those of members that are not texts: what links the parts of a session.
var names = []string{
	"id", "parent", "position", "session_id", "stream_id", "span_id", "run_id", "node_id", "call_id", "message_id", "next", "kind", "media",
	"started", "ended", "at", "first_at", "last_at", "captured_at", "digest",
}

// Rewrite returns an answer's JSON as who opened a share may read it: only what lies in its span, without
// tags and sources, and with secrets masked in all texts. It reports false if the
// session began after the link was made: it is another one.
func (v *Views) Rewrite(s *access.Share, body []byte) (_ []byte, ok bool, _ error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var answer any
	if err := d.Decode(&answer); err != nil {
		return nil, false, err
	}
	if whole, is := answer.(map[string]any); is {
		if at, has := timeOf(whole["started"]); has && s.To != nil && !at.Before(*s.To) {
			return nil, false, nil
		}
		limit(whole, s)
	}
	text, err := json.Marshal(v.masker().mask(answer))
	return text, true, err
}

// limit removes from an answer what is not in the span, and what is about others.
func limit(whole map[string]any, s *access.Share) {
	if s.From != nil {
		if _, has := whole["title"]; has {
			whole["title"] = ""
		}
	}
	if _, has := whole["tags"]; has {
		whole["tags"] = map[string]any{}
	}
	for _, one := range list(whole["streams"]) {
		if stream, is := one.(map[string]any); is {
			stream["tags"], stream["source"] = map[string]any{}, ""
			if s.From != nil {
				stream["title"] = ""
			}
		}
	}
	if items, has := whole["items"]; has { // of a transcript
		whole["items"] = slices.DeleteFunc(list(items), func(m any) bool { return !holds(s, m) })
	}
	for _, name := range []string{"spans", "usage", "runs", "discrepancies"} {
		if parts, has := whole[name]; has {
			whole[name] = within(list(parts), s)
		}
	}
}

// holds reports whether a message lies in the span of a share, all of it: its text cannot be cut by
// time.
func holds(s *access.Share, message any) bool {
	m, is := message.(map[string]any)
	if !is {
		return true // a count of frames
	}
	from, has := timeOf(m["started"])
	if !has {
		return true
	}
	to, ended := timeOf(m["ended"])
	if !ended {
		to = from
	}
	return (s.From == nil || !from.Before(*s.From)) && (s.To == nil || to.Before(*s.To))
}

// within returns the spans, records and runs that lie in the span of a share, with what is below them.
func within(parts []any, s *access.Share) []any {
	return slices.DeleteFunc(parts, func(part any) bool {
		p, is := part.(map[string]any)
		if !is {
			return false
		}
		for _, name := range []string{"children", "usage"} {
			if below, has := p[name]; has {
				p[name] = within(list(below), s)
			}
		}
		return !overlaps(p, s)
	})
}

// overlaps reports whether something happened in the span of a share; what has no time did.
func overlaps(p map[string]any, s *access.Share) bool {
	from, has := timeOf(p["started"])
	if !has {
		if from, has = timeOf(p["at"]); !has {
			return true
		}
	}
	to, has := timeOf(p["ended"])
	if !has {
		to = from
	}
	return (s.To == nil || from.Before(*s.To)) && (s.From == nil || !to.Before(*s.From))
}

func list(v any) []any {
	items, _ := v.([]any)
	return items
}

func timeOf(v any) (time.Time, bool) {
	text, is := v.(string)
	if !is {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	return at, err == nil
}

// masker masks the texts of one answer. The same secret has the same number in it.
type masker struct{ secrets *redact.Masker }

func (v *Views) masker() masker { return masker{v.engine().NewMasker()} }

// mask returns a JSON value with its texts masked.
func (m masker) mask(value any) any {
	switch value := value.(type) {
	case string:
		return m.secrets.Text(value)
	case []any:
		for i := range value {
			value[i] = m.mask(value[i])
		}
	case map[string]any:
		before, _ := value["text"].(string)
		for name, part := range value {
			if _, isText := part.(string); isText && slices.Contains(names, name) {
				continue
			}
			value[name] = m.mask(part)
		}
		if after, is := value["text"].(string); is && after != before {
			regrow(value["chunks"], len(after))
		}
	}
	return value
}

// regrow adapts how a text grew to its new length.
func regrow(chunks any, length int) {
	c, _ := chunks.(map[string]any)
	ends := list(c["end"])
	for i, end := range ends {
		n, _ := end.(json.Number)
		if at, err := n.Int64(); err != nil || at > int64(length) || i == len(ends)-1 {
			ends[i] = length
		}
	}
}
