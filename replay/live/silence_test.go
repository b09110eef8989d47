package live

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

// heartbeats reports recorders for a test.
type heartbeats struct {
	mu    sync.Mutex // guards all below
	known bool       // whether anything follows from absence
	ids   []string   // of the recorders that are alive
}

func (h *heartbeats) IsLost(_, id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known && !slices.Contains(h.ids, id)
}

func (h *heartbeats) set(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known, h.ids = true, ids
}

// nothing is a store without sessions.
type nothing struct{ replay.Library }

func (nothing) Tape(context.Context, string, string) (replay.Tape, error) {
	return nil, replay.ErrNoSession
}

// silent returns a reader of a session with one open stream, whose last block has just
// arrived. It has no server behind it, so that it runs on a virtual clock.
func silent(recorder string, known Recorders) *reader {
	l := &Library{
		opts:  Options{Grace: 3 * time.Second, GraceHTTP: 30 * time.Second, Silence: time.Hour, Stored: nothing{}, Recorders: known},
		tails: map[session]*tail{},
	}
	s := &session{tenant: "default", id: "s"}
	t := &tape{library: l, session: s}
	t.note(&schema.StreamState{StreamID: "a", Frames: 1, LastAt: time.Now().UnixNano(), Recorder: recorder, Version: 1}, time.Now())
	r := &reader{tape: t, query: replay.Query{}, tracks: map[string]*track{}, view: &snapshot{}, begun: true}
	r.track("a").passed.add(0, 1)
	r.source = &source{library: l, tail: &tail{library: l, session: s, changed: make(chan struct{}), readers: 2}, next: 1}
	return r
}

// followed runs a reader until it ends, and returns how long that took and its error.
func followed(ctx context.Context, r *reader) (time.Duration, error) {
	began := time.Now()
	for {
		if _, err := r.Next(ctx); err != nil && !errors.Is(err, replay.ErrLive) {
			return time.Since(began), err
		}
	}
}

// Silence ends what follows a session whose recorder is lost. A session whose recorder
// is alive is followed for as long as it is silent.
func TestSilence(t *testing.T) {
	for _, tc := range []struct {
		name, recorder string
		known          *heartbeats // nil for a server without heartbeats
		after          time.Duration
		then           func(*heartbeats) // after that time
		least          time.Duration     // that it is followed; 0 if it is open after five hours
	}{
		{"alive", "rec", &heartbeats{known: true, ids: []string{"other", "rec"}}, 0, nil, 0},
		{"lost", "rec", &heartbeats{known: true, ids: []string{"other"}}, 0, nil, time.Hour},
		{
			"lost after 3 hours", "rec", &heartbeats{known: true, ids: []string{"rec"}}, 3 * time.Hour,
			func(h *heartbeats) { h.set("other") }, 3 * time.Hour,
		},
		{"alive again", "rec", &heartbeats{known: true}, 30 * time.Minute, func(h *heartbeats) { h.set("rec") }, 0},
		{"not known yet", "rec", &heartbeats{}, 2 * time.Hour, func(h *heartbeats) { h.set() }, 2 * time.Hour},
		{"a recorder without an id", "", &heartbeats{known: true, ids: []string{"rec"}}, 0, nil, time.Hour},
		{"a server without heartbeats", "rec", nil, 0, nil, time.Hour},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var known Recorders
				if tc.known != nil {
					known = tc.known
				}
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Hour)
				defer cancel()
				if tc.then != nil {
					time.AfterFunc(tc.after, func() { tc.then(tc.known) })
				}
				took, err := followed(ctx, silent(tc.recorder, known))
				switch {
				case tc.least == 0 && !errors.Is(err, context.DeadlineExceeded):
					t.Errorf("ended after %s (%v), want it open", took, err)
				case tc.least != 0 && (err != io.EOF || took < tc.least || took > tc.least+time.Second):
					t.Errorf("ended after %s (%v), want the end after %s", took, err, tc.least)
				}
			})
		})
	}
}

// A session of several streams is followed while one of their recorders is alive; one
// whose streams have ended is not.
func TestSilenceOfSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := &heartbeats{known: true, ids: []string{"rec"}}
		tape := silent("rec", known).tape
		tape.note(&schema.StreamState{StreamID: "b", Frames: 1, Recorder: "gone", Version: 1}, time.Now())
		time.Sleep(2 * time.Hour) // virtual time: longer than the limit of silence
		if tape.over(time.Now()) {
			t.Error("over although one recorder is alive")
		}
		tape.note(&schema.StreamState{StreamID: "a", Frames: 1, Recorder: "rec", Version: 2, Ended: 1}, time.Now())
		time.Sleep(30 * time.Minute) // virtual time: within the hour
		if tape.over(time.Now()) {
			t.Error("over before the hour of the lost one has passed")
		}
		time.Sleep(31 * time.Minute) // virtual time: after the hour
		if !tape.over(time.Now()) {
			t.Error("open although the recorder of its only open stream is lost")
		}
	})
}
