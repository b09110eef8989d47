package share

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"tapedeck/ingest/redact"
	"tapedeck/internal/app/auth/access"
)

// names are the JSON members that are not masked, since they link the parts of a session.
var names = []string{
	"id", "parent", "position", "session_id", "stream_id", "span_id", "run_id", "node_id", "call_id", "message_id", "next", "kind", "media",
	"started", "ended", "at", "first_at", "last_at", "captured_at", "digest",
}

// Rewrite returns an answer's JSON for a user of a share: without tags and sources, and with
// secrets masked in all texts. The answer already contains only data of the share's span
// (sessionframes.WithView). Rewrite returns false if the session began after the link was created,
// since it is another session.
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
		hideOrigin(whole)
	}
	text, err := json.Marshal(v.masker().mask(answer))
	return text, true, err
}

// hideOrigin removes tags and sources from an answer, since they describe other systems and users.
func hideOrigin(whole map[string]any) {
	if _, has := whole["tags"]; has {
		whole["tags"] = map[string]any{}
	}
	for _, one := range list(whole["streams"]) {
		if stream, is := one.(map[string]any); is {
			stream["tags"], stream["source"] = map[string]any{}, ""
		}
	}
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

// masker masks the texts of one answer. Equal secrets have the same number in it.
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

// regrow adapts the growth steps of a text to its new length.
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
