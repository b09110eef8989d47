package tenants

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/upload"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// sent is a publisher that keeps blocks, as they are encoded.
type sent struct{ blocks []ingest.EncodedBlock }

func (s *sent) Publish(_ context.Context, b ingest.EncodedBlock, done func(error)) error {
	s.blocks = append(s.blocks, b)
	go done(nil)
	return nil
}

// blocksOf returns the blocks of a recording whose names another tenant knows all of: the session,
// the stream, the recorder and the ids of the blocks.
func (r *rig) blocksOf(stream, mark string) []ingest.EncodedBlock {
	r.t.Helper()
	var to sent
	s, err := ingest.NewRecorder(&to, ingest.Settings{ID: "recorder"}).Open(ingest.StreamOptions{
		Session: "same", Dialect: "generic", Transport: schema.NDJSON, Resume: &ingest.Resume{StreamID: stream},
	})
	r.must(err)
	for i := range 3 {
		text := fmt.Sprintf(`{"text":"%s %d"}`+"\n", mark, i)
		r.must(s.Record(r.t.Context(), &schema.Frame{At: ingest.Now(), Transport: schema.NDJSON, Raw: []byte(text)}))
	}
	_, err = s.Close(r.t.Context(), "eof")
	r.must(err)
	for i := range to.blocks {
		to.blocks[i].ID = fmt.Sprint(stream, ".same.", i)
	}
	return to.blocks
}

// upload sends blocks as "tapedeck record" does.
func (r *rig) upload(token string, blocks []ingest.EncodedBlock) {
	r.t.Helper()
	c, err := upload.Dial(r.t.Context(), upload.Options{Server: r.first, Token: token, Recorder: "recorder", Grace: -1})
	r.must(err)
	defer func() { r.must(c.Close(r.t.Context())) }()
	for _, b := range blocks {
		durable := make(chan error, 1)
		r.must(c.Publish(r.t.Context(), b, func(err error) { durable <- err }))
		r.must(bounded.Receive(r.t, durable))
	}
}

// Ids of sessions, streams, recorders and blocks belong to one tenant: whoever sends or asks for the ids of
// another tenant neither changes nor sees anything of it.
func TestSameIDs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	stream := schema.NewStreamID()
	mine, theirs := r.token(tenantOf(alpha), access.Admin), r.token(tenantOf(beta), access.Admin)
	frames := func(token string) string {
		return r.request(token, "GET", "/v1/sessions/same/frames?limit=10", "", "").body
	}
	// The other tenant is first, with the same ids, and with a block that is not one.
	forged := r.blocksOf(stream, beta)
	forged = append(forged, ingest.EncodedBlock{Session: "same", ID: stream + ".same.9", Data: []byte("not a block")})
	r.upload(theirs, forged)
	own := r.blocksOf(stream, alpha)
	own = append(own, ingest.EncodedBlock{Session: "same", ID: stream + ".same.9", Data: encoded(stream), Frames: 1})
	r.upload(mine, own)
	for token, mark := range map[string]string{mine: alpha, theirs: beta} {
		bounded.Until(t, "the frames of "+mark, func() bool { return strings.Count(frames(token), mark+" ") == 3 })
	}
	bounded.Until(t, "the block with the id of the forged one", func() bool { return strings.Contains(frames(mine), "the last") })
	if got := frames(theirs); strings.Contains(got, alpha) || strings.Contains(got, "the last") {
		t.Errorf("the other tenant sees %s", got)
	}
	// No route that takes an id of a stream shows or changes another tenant's.
	if a := r.request(theirs, "DELETE", "/v1/sessions/same", "", ""); a.code/100 != 2 {
		t.Fatalf("delete: %d %s", a.code, a.body)
	}
	if a := r.request(theirs, "GET", "/v1/sessions/same", "", ""); a.code != http.StatusGone && a.code != http.StatusNotFound {
		t.Errorf("the deleted session: %d", a.code)
	}
	r.upload(mine, r.blocksOf(stream, alpha)) // sent again: no tombstone of the other tenant covers it
	if got := frames(mine); strings.Count(got, alpha+" ") != 3 || !strings.Contains(got, "the last") {
		t.Errorf("after the other tenant's deletion: %s", got)
	}
	for _, path := range []string{"/v1/streams?session=same", "/v1/streams?stream=" + stream} {
		if a := r.request(theirs, "GET", path, "", ""); len(items(t, a)) != 0 {
			t.Errorf("GET %s by the other tenant: %s", path, a.body)
		}
		if a := r.request(mine, "GET", path, "", ""); len(items(t, a)) != 1 {
			t.Errorf("GET %s: %s", path, a.body)
		}
	}
}

// encoded is a block of the stream with one more frame.
func encoded(stream string) []byte {
	b := block.Block{Session: "same", State: schema.StreamState{
		StreamID: stream, FirstSeq: 3, Transport: schema.NDJSON, Dialect: "generic", FirstAt: ingest.Now(), LastAt: ingest.Now(), Frames: 4, Recorder: "recorder", Version: 100,
	}}
	b.Frames = []schema.Frame{{Seq: 3, At: ingest.Now(), Transport: schema.NDJSON, Raw: []byte(`{"text":"the last"}` + "\n")}}
	return block.Encode(nil, &b, block.Plain)
}
