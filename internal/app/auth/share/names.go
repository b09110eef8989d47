package share

import (
	"context"
	"errors"
	"strings"

	"tapedeck/internal/app/auth/access"
	"tapedeck/replay"
	"tapedeck/schema"
)

// Names maps the ids of a session's streams to the ids that a link shows. An id contains the time
// at which its stream began; a time before the link's span is replaced by the beginning of the
// span. A nil Names changes nothing.
type Names struct{ show, find *strings.Replacer }

// Names returns the Names of a share's session.
func (v *Views) Names(ctx context.Context, s *access.Share, tenant string) (*Names, error) {
	if s.From == nil {
		return nil, nil
	}
	ids := []string{s.Session}
	tape, err := v.library.Tape(ctx, tenant, s.Session)
	if err != nil && !errors.Is(err, replay.ErrNoSession) { // the route responds that there is no session
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

// Show replaces stored ids in a text by shown ids.
func (n *Names) Show(text string) string {
	if n == nil {
		return text
	}
	return n.show.Replace(text)
}

// Find replaces shown ids in a text from a user of the link by stored ids.
func (n *Names) Find(text string) string {
	if n == nil {
		return text
	}
	return n.find.Replace(text)
}
