package clickhouse

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// TestRequestsOfManyExchanges reads the requests of a session of 300 exchanges with long answers, as an
// emulation does before its first answer: 256 streams with each statement, and each sent frame once
// and in order. Read whole, a statement has at most 4,096 frames. Streams of WebSockets, on which a
// client may send as many frames as it likes, are counted by all of their frames.
func TestRequestsOfManyExchanges(t *testing.T) {
	const exchanges, answer = 300, 40
	requests := replay.Query{Bare: true, Filter: replay.Filter{Directions: []schema.Direction{schema.Send}}}
	for _, tc := range []struct {
		transport  schema.Transport
		query      replay.Query
		statements int // at most
		least      int
		frames     int
	}{
		{schema.SSE, requests, 2, 2, exchanges * 2},
		{schema.SSE, replay.Query{Bare: true}, 7, 4, exchanges * (answer + 2)},
		{schema.WebSocket, requests, 7, 4, exchanges * 2},
	} {
		db := shared(t)
		tape, sent := &replaytest.Tape{Batch: 1000}, []string{}
		for i := range exchanges {
			s := tape.Stream(tc.transport, "openai-chat")
			for j := range answer + 2 {
				text := fmt.Sprintf("%d %d", i, j)
				s.Add(time.Duration(i*100+j)*time.Millisecond, text, func(f *schema.Frame) {
					if j < 2 {
						f.Direction = schema.Send
						sent = append(sent, text)
					}
				})
			}
		}
		session := fmt.Sprint(tc.transport, len(tc.query.Filter.Directions))
		db.record("default", session, tape, nil)
		opened, err := db.open(Options{}).Tape(t.Context(), "default", session)
		if err != nil {
			t.Fatal(err)
		}
		r, err := opened.Read(t.Context(), tc.query)
		if err != nil {
			t.Fatal(err)
		}
		of, ok := r.(*reader)
		if !ok {
			t.Fatalf("a reader of type %T", r)
		}
		if n := len(of.coming); n > tc.statements || n < tc.least {
			t.Errorf("%v, %v: %d statements, want %d to %d", tc.transport, tc.query.Filter.Directions, n, tc.least, tc.statements)
		}
		var got []string
		n := 0
		for err == nil {
			var list []replay.Frame
			list, err = r.Next(t.Context())
			n += len(list)
			for i := range list {
				if list[i].Direction == schema.Send {
					got = append(got, string(list[i].Raw))
				}
			}
		}
		if r.Close(); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if n != tc.frames || fmt.Sprint(got) != fmt.Sprint(sent) {
			t.Errorf("%v: %d frames, want %d; the sent ones are as recorded: %v", tc.transport, n, tc.frames, fmt.Sprint(got) == fmt.Sprint(sent))
		}
	}
}
