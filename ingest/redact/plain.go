package redact

import "tapedeck/schema"

// Text masks the secrets of a complete text, such as a command line or a URL.
func (m *Masker) Text(s string) string {
	raw := []byte(s)
	if len(m.engine.paths) == 0 && m.engine.prefilter.clean(&m.machine, raw, 0) { // scan finds nothing either
		return s
	}
	f := schema.Frame{Transport: schema.HTTP, Flags: schema.FlagNote, Raw: raw}
	other := Masker{engine: m.engine, numbers: m.numbers, last: m.last, counts: m.counts}
	other.Push(&f, func(*schema.Frame) {})
	return string(f.Raw)
}
