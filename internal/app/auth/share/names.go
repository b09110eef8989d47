package share

import (
	"context"
	"errors"
	"strings"

	"tapedeck/internal/app/auth/access"
	"tapedeck/replay"
	"tapedeck/schema"
)

// Names are the ids of a session's streams as a link shows them. An id has the time at which its
// stream began: where that is before the link's span, it is replaced by the beginning of the span.
// A nil Names replaces nothing.
type Names struct{ show, find *strings.Replacer }

// Names returns the names for a share's session.
func (v *Views) Names(ctx context.Context, s *access.Share, tenant string) (*Names, error) {
	if s.From == nil {
		return nil, nil
	}
	ids := []string{s.Session}
	tape, err := v.library.Tape(ctx, tenant, s.Session)
	if err != nil && !errors.Is(err, replay.ErrNoSession) { // the route answers that there is none
		return nil, err
	}
	if err == nil {
		for _, stream := range tape.Streams() {
			ids = append(ids, stream.StreamID)
		}
	}
	var show, find []string
	for _, id := range ids {
		if shown := schema.StartedFrom(id, s.From.UnixNano()); shown != id {
			show, find = append(show, id, shown), append(find, shown, id)
		}
	}
	if len(show) == 0 {
		return nil, nil
	}
	return &Names{strings.NewReplacer(show...), strings.NewReplacer(find...)}, nil
}

// Show returns a text with the ids that are shown.
func (n *Names) Show(text string) string {
	if n == nil {
		return text
	}
	return n.show.Replace(text)
}

// Find returns a text of who opened the link with the ids that are stored.
func (n *Names) Find(text string) string {
	if n == nil {
		return text
	}
	return n.find.Replace(text)
}
