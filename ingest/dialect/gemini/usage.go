package gemini

import "tapedeck/ingest/dialect/gemini/content"

// count reads a chunk's usage.
func (d *decoder) count(raw []byte) {
	a := &d.answer
	if raw != nil && (a.usage == nil || a.usage.Raw != string(raw)) {
		a.usage = d.Count(a.usage, &content.Counting, a.id, a.call, raw)
	}
}
