package dialecttest

import (
	"fmt"
	"strings"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// check checks a stream's facts against the rules for all facts.
func check(facts *block.Facts) error {
	type place struct{ session, id string }
	spans := map[place]bool{}
	for _, s := range facts.Spans {
		spans[place{s.Session, s.ID}] = true
	}
	known := func(session, id string) error {
		if id != "" && !spans[place{session, id}] && !strings.HasPrefix(id, schema.TraceSpanPrefix) {
			return fmt.Errorf("belongs to %s, which is not a span of the session %q", id, session)
		}
		return nil
	}
	for _, s := range facts.Spans {
		if err := firstOf(known(s.Session, s.Parent), checkSpan(&s)); err != nil {
			return fmt.Errorf("span %s: %w", s.ID, err)
		}
	}
	for _, m := range facts.Messages {
		if err := firstOf(known(m.Session, m.Span), checkMessage(&m)); err != nil {
			return fmt.Errorf("message %s: %w", m.ID, err)
		}
	}
	for _, u := range facts.Usages {
		err := known(u.Session, u.Span)
		if u.Scope == "" || u.Mode != schema.UsageAdd && u.Mode != schema.UsageRunning || u.At == 0 {
			err = fmt.Errorf("scope %q, mode %q, at %d: none may be missing", u.Scope, u.Mode, u.At)
		}
		if err != nil {
			return fmt.Errorf("usage %s: %w", u.ID, err)
		}
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func checkSpan(s *schema.Span) error {
	switch {
	case s.Kind == "" || s.Status == "":
		return fmt.Errorf("no kind or no status")
	case s.Parent == s.ID:
		return fmt.Errorf("belongs to itself")
	case s.Ended != 0 && s.Ended < s.Started:
		return fmt.Errorf("ends at %d, before it starts at %d", s.Ended, s.Started)
	case s.Ended != 0 && !s.Status.Ended():
		return fmt.Errorf("has an end and is %s", s.Status)
	case s.FirstToken != 0 && s.FirstToken < s.Started:
		return fmt.Errorf("has its first token before it starts")
	}
	return nil
}

func checkMessage(m *schema.Message) error {
	if m.Kind == "" || len(m.ChunkAt) != len(m.ChunkEnd) || m.Ended < m.Started {
		return fmt.Errorf("kind %q, %d and %d chunks, from %d to %d", m.Kind, len(m.ChunkAt), len(m.ChunkEnd), m.Started, m.Ended)
	}
	for i := range m.ChunkAt {
		if i > 0 && (m.ChunkAt[i] < m.ChunkAt[i-1] || m.ChunkEnd[i] < m.ChunkEnd[i-1]) {
			return fmt.Errorf("chunk %d goes back", i)
		}
	}
	if n := len(m.ChunkEnd); n > 0 && int(m.ChunkEnd[n-1]) != len(m.Text) {
		return fmt.Errorf("chunks end at %d, the text at %d", m.ChunkEnd[n-1], len(m.Text))
	}
	return nil
}
