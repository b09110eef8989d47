// Package sessionhtml writes a session as one HTML file that plays it without a server.
package sessionhtml

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"tapedeck/ingest"
	"tapedeck/ingest/redact"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/share"
	"tapedeck/internal/app/tapefacts"
	"tapedeck/internal/console"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionframes"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
	"tapedeck/replay"
	"tapedeck/schema"
)

// mostBytes bounds the raw bytes of a session that a file may hold: the browser has all of it in memory.
const mostBytes = 64 << 20

// densitySlices is the number of slices for which the page asks.
const densitySlices = 1000

// Recording holds the answers of a server from which the page is made, with secrets masked as in a shared
// link.
type Recording struct {
	Session    json.RawMessage            `json:"session"`
	Timeline   json.RawMessage            `json:"timeline"`
	Transcript json.RawMessage            `json:"transcript"`
	Density    *sessionframes.Density     `json:"density"`
	Frames     []sessionframes.WholeFrame `json:"frames"`

	title string // masked, as all texts
}

// Read reads a session of a library of tapes.
func Read(ctx context.Context, tapes replay.Library, session string) (*Recording, error) {
	t, err := tapes.Tape(ctx, ingest.DefaultTenant, session)
	if err != nil {
		return nil, err
	}
	f, err := tapefacts.Read(ctx, t, session, prices.Standard(), ingest.DefaultTenant)
	if err != nil {
		return nil, err
	}
	if f.Row.Bytes > mostBytes {
		return nil, fmt.Errorf("session %q has %s, and an HTML file may hold %s: export a tape", session,
			console.Bytes(f.Row.Bytes), console.Bytes(mostBytes))
	}
	shown := &access.Share{Session: session}
	views := share.NewViews(tapes, redact.Default)
	r := &Recording{Frames: []sessionframes.WholeFrame{}}
	for _, part := range []struct {
		to    *json.RawMessage
		value any
	}{
		{&r.Session, sessiondetail.OfFacts(f.Row, f.Streams, f.Spans, f.Usage, f.Messages)},
		{&r.Timeline, timeline.OfFacts(f.Row, f.Spans, f.Usage, f.Messages)},
		{&r.Transcript, transcript.OfMessages(f.Messages, f.Row.Started)},
	} {
		text, err := json.Marshal(part.value)
		if err == nil {
			*part.to, _, err = views.Rewrite(shown, text)
		}
		if err != nil {
			return nil, err
		}
	}
	head := &sessiondetail.Detail{}
	if err := json.Unmarshal(r.Session, head); err != nil {
		return nil, err
	}
	r.title = cmp.Or(head.Title, session)
	view := views.Of(&access.Principal{ID: session, Share: shown}, ingest.DefaultTenant)
	masked, err := view.Masked(ctx, nil)
	if err != nil {
		return nil, err
	}
	return r, r.readFrames(ctx, t, f, masked)
}

func (r *Recording) readFrames(ctx context.Context, t replay.Tape, f *tapefacts.Session, masked map[sessionframes.FrameID][]byte) error {
	frames, err := t.Read(ctx, replay.Query{})
	if err != nil {
		return err
	}
	defer frames.Close()
	var positions []schema.Position
	names := redact.Default().NewMasker()
	for {
		list, err := frames.Next(ctx)
		if err == io.EOF {
			r.Density = sessionframes.DensityOf(f.Row, positions, densitySlices)
			return nil
		}
		if err != nil {
			return err
		}
		for i := range list {
			frame := list[i].Frame
			at := list[i].Position()
			if raw, is := masked[sessionframes.FrameID{Stream: at.StreamID, Seq: at.Seq}]; is {
				frame.Raw, frame.Flags = raw, frame.Flags|schema.FlagRedacted
			}
			frame.Type, frame.Agent, frame.EventID = names.Text(frame.Type), names.Text(frame.Agent), names.Text(frame.EventID)
			frame.Raw = append([]byte{}, frame.Raw...) // the reader uses the memory again
			r.Frames = append(r.Frames, sessionframes.OfFrame(list[i].Stream, &frame, f.Row.Started))
			positions = append(positions, at)
		}
	}
}
