package mcpserver

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
)

// moment is an argument that names a moment: a time, or an offset from the start of the session.
type moment struct {
	at     time.Time
	offset time.Duration
	isTime bool
}

// parseMoment parses an argument; nil for "".
func parseMoment(name, text string) (*moment, error) {
	if text == "" {
		return nil, nil
	}
	if offset, is := strings.CutPrefix(text, "+"); is {
		if d, err := time.ParseDuration(offset); err == nil && d >= 0 {
			return &moment{offset: d}, nil
		}
	} else if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return &moment{at: at.UTC(), isTime: true}, nil
	}
	return nil, fmt.Errorf(`the argument %q is %q: it must be a time like 2026-03-29T12:00:00.5Z, or an offset from the start of the session like +12.5s`,
		name, short(text, nameSize))
}

// in returns the moment in a session that began at start.
func (m *moment) in(start time.Time) time.Time {
	if m.isTime {
		return m.at
	}
	return start.Add(m.offset)
}

// errBeforeStart is the error for a moment at which there was no session.
func errBeforeStart(id string, start time.Time) error {
	return fmt.Errorf(`the argument "as_of" is before the start of session %s, %s: use a later time, or an offset like +12.5s`,
		short(id, nameSize), start.Format(timeForm))
}

// cutAt makes a session what it was at a moment: spans that began later are left out, and those that ended
// later are open. A moment at or after the end changes nothing. For a session without an end, a moment at or after its
// last frame is now: nothing is known of the time since.
func (s *session) cutAt(t *timeline.Timeline, m *moment) error {
	at := m.in(s.Started)
	if at.Before(s.Started) {
		return errBeforeStart(s.ID, s.Started)
	}
	if s.Ended == nil && !at.Before(s.LastAt) {
		return nil
	}
	s.asOf = &at
	if s.Ended != nil && !at.Before(*s.Ended) {
		return nil
	}
	s.cut = true
	s.Status, s.Ended, s.End, s.OpenSpan, s.SilentMS, s.Discrepancies = sessionhead.Running, nil, nil, nil, nil, nil
	s.DurationMS = milliseconds(at.Sub(s.Started))
	s.Tools, s.Agents, s.Models = sessionhead.ToolCounts{}, nil, nil
	t.Spans = s.cutSpans(t.Spans, at)
	return nil
}

// cutSpans returns the spans of a list that had begun at a moment, and counts them.
func (s *session) cutSpans(list []*timeline.Span, at time.Time) []*timeline.Span {
	var kept []*timeline.Span
	for _, p := range list {
		if p.Started.After(at) {
			continue
		}
		if p.Ended == nil || p.Ended.After(at) {
			reopen(p, at)
		}
		for i := range p.Usage {
			if p.Usage[i].At.After(at) {
				p.Tokens = nil
			}
		}
		if p.Kind == "tool" {
			s.Tools.Calls++
			if p.Status == "error" {
				s.Tools.Errors++
			}
		}
		if p.Agent != "" && !slices.Contains(s.Agents, p.Agent) {
			s.Agents = append(s.Agents, p.Agent)
		}
		if p.Model != nil && !slices.Contains(s.Models, *p.Model) {
			s.Models = append(s.Models, *p.Model)
		}
		p.Children = s.cutSpans(p.Children, at)
		kept = append(kept, p)
	}
	return kept
}

// reopen makes a span what it was at a moment before its end. What a source states with the end of a span is
// removed.
func reopen(p *timeline.Span, at time.Time) {
	open := milliseconds(at.Sub(p.Started))
	p.Status, p.Open, p.OpenMS = "open", true, &open
	p.Ended, p.DurationMS, p.ReportedMS, p.RunningMS, p.SilentMS, p.Error, p.Attributes = nil, nil, nil, nil, nil, nil, nil
	if p.FirstTokenMS != nil && *p.FirstTokenMS > open {
		p.FirstTokenMS = nil
	}
}

// cutMessage makes a message what it was at a moment, and reports whether it had begun. The message must have its
// chunks.
func cutMessage(m *transcript.Message, as *moment) bool {
	at := as.in(m.Started.Add(-time.Duration(m.StartMS * float64(time.Millisecond))))
	if m.Started.After(at) {
		return false
	}
	if m.Ended == nil || !m.Ended.After(at) {
		return true
	}
	size := 0
	if m.Chunks != nil {
		offset := m.StartMS + milliseconds(at.Sub(m.Started))
		for i, end := range m.Chunks.End {
			if i < len(m.Chunks.OffsetMS) && m.Chunks.OffsetMS[i] <= offset {
				size = min(int(end), len(m.Text))
			}
		}
	}
	for size > 0 && size < len(m.Text) && !utf8.RuneStart(m.Text[size]) {
		size--
	}
	m.Text, m.Complete = m.Text[:size], false
	return true
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
