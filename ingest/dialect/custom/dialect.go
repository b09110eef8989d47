package custom

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Dialect returns the dialect that the file describes. It is at most Likely of a frame: a dialect
// that is Certain takes precedence.
func (m *Mapping) Dialect() dialect.Dialect {
	d := dialect.Dialect{
		Name: m.Name, Match: m.matchFrame, Ends: m.ends,
		New: func(string) dialect.Decoder { return newDecoder(m) },
	}
	if m.fields.time != nil {
		d.Time = m.timeOf
	}
	return d
}

// matchFrame judges a frame by the match conditions of the file.
func (m *Mapping) matchFrame(in *dialect.Input) (dialect.Confidence, string) {
	if in.JSON == nil {
		return dialect.No, ""
	}
	s := source{in: in}
	for i, when := range m.match {
		if (in.Direction == schema.Receive || when.onDirection()) && when.hold(&s) {
			return dialect.Likely, fmt.Sprintf("match[%d] of its dialect file", i)
		}
	}
	return dialect.No, ""
}

// ends reports whether a frame ends a run. The end of a sub-agent is not the end of one.
func (m *Mapping) ends(in *dialect.Input) bool {
	s := source{in: in}
	if len(m.fields.subagent.text(&s)) > 0 {
		return false
	}
	for i := range m.rules {
		r := &m.rules[i]
		if r.end != "" && r.applies(in) && r.each == nil && r.subagent == nil && r.when.hold(&s) {
			return true
		}
	}
	return false
}

// applies reports whether the rule applies to frames of this direction.
func (r *rule) applies(in *dialect.Input) bool {
	return in.JSON != nil && (in.Direction == schema.Receive || r.sent)
}

// timeOf reads the time of a frame: RFC 3339, or a number since 1970 in seconds, milliseconds,
// microseconds or nanoseconds, depending on its size.
func (m *Mapping) timeOf(in *dialect.Input) int64 {
	if in.JSON == nil || m.fields.time == nil {
		return 0
	}
	raw := m.fields.time.raw(&source{in: in})
	if text, _ := dialect.Unquote(raw, nil); text != nil {
		if at := dialect.TextTime(text); at != 0 {
			return at
		}
		raw = bytes.TrimSpace(text)
	}
	if len(raw) == 0 || len(raw) > 32 {
		return 0
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil || !(n >= 1e8) || n >= math.MaxInt64:
		return 0
	case n < 1e11:
		return int64(n*1e6) * 1e3 // a float64 is exact to microseconds for present times in seconds
	case n < 1e14:
		return int64(n*1e3) * 1e3
	case n < 1e17:
		return int64(n) * 1e3
	}
	if whole, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return whole
	}
	return int64(n)
}
