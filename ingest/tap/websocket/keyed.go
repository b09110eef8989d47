package websocket

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/keys"
	"tapedeck/internal/problem"
	"tapedeck/schema"
)

// keyed is the idempotency key of a connection. Its methods may be called on nil, which is a
// connection without a key.
type keyed struct {
	claim  *keys.Claim
	verify *keys.Verifier
}

// claimTimeout bounds how long a handshake waits for its key.
const claimTimeout = 30 * time.Second

// openKeyed opens or resumes the stream of the key in a request.
func (s *served) openKeyed(r *http.Request, q url.Values, so ingest.StreamOptions) *problem.Problem {
	store := s.handler.opts.Keys
	req := keys.Request{
		Tenant: so.Tenant, Key: q.Get("key"), FrameLimit: s.handler.opts.FrameLimit, Unit: keys.Frames,
		Params: keys.Params{Session: so.Session, Dialect: so.Dialect, Tags: so.Tags, Transport: so.Transport, Clock: so.Clock()},
	}
	if err := keys.Check(req.Key); err != nil {
		return problem.BadParameter("key", err.Error())
	}
	if text := q.Get("offset"); text != "" {
		var err error
		if req.Offset, err = strconv.ParseUint(text, 10, 63); err != nil {
			return problem.BadParameter("offset", fmt.Sprintf("%q is not the number of a message.", text))
		}
	}
	if store == nil {
		return &problem.Problem{Status: http.StatusNotImplemented, Parameter: "key",
			Detail: "This server does not accept idempotency keys."}
	}
	ctx, cancel := context.WithTimeout(r.Context(), claimTimeout)
	defer cancel()
	claim, err := store.Open(ctx, req)
	if err != nil {
		return keys.Problem(err, "key", "offset")
	}
	s.keyed = &keyed{claim: claim, verify: claim.Verifier()}
	known := claim.Known()
	s.acks.resume(int64(known.Frames) - 1)
	s.recorded.Store(int64(known.Frames) - 1)
	so.Key, so.Publisher, so.Passed = req.Key, claim, claim.Passed
	so.Resume = &ingest.Resume{
		StreamID: known.StreamID, NextSeq: known.Frames, Settled: known.Settled, Again: true, Attempt: claim.Attempt(),
	}
	if s.stream, err = s.handler.recorder.Open(so); err != nil {
		claim.Close()
		return problem.BadParameter("", err.Error())
	}
	if claim.Result() != nil {
		return nil
	}
	err = claim.Replay(ctx, func(f *schema.Frame, _ keys.Sent) error { return s.stream.Record(ctx, f) })
	if err == nil && claim.Attempt() > 0 {
		err = s.stream.Reopen(ctx)
	}
	if err != nil {
		_ = s.close("error: the stream could not be resumed") // the client receives the first error
		return keys.Problem(err, "key", "offset")
	}
	return nil
}

// known compares a frame with the durable frames, and reports whether the frame is one of them.
func (k *keyed) known(f *schema.Frame) (bool, error) {
	if k == nil {
		return false, nil
	}
	if k.verify.Left() > 0 {
		if err := k.verify.AddFrame(f); err != nil {
			return true, fmt.Errorf("%w: the messages before number %d differ from those that are durable", err,
				k.claim.Known().Frames)
		}
		return true, nil
	}
	if k.claim.Result() != nil {
		return true, nil // the connection is being closed
	}
	k.claim.Record(f)
	return false, nil
}

// begin sends the client the number of the last durable message. It closes the connection if the
// stream has ended, and starts a goroutine that ends the connection when another request claims the
// key.
func (k *keyed) begin(s *served) {
	if k == nil {
		return
	}
	if k.claim.Result() != nil {
		s.endEarly(func() {
			// If the client does not read the message, the closed connection ends its upload.
			_ = s.acks.write(fmt.Appendf(nil, `{"ack":%d,"ended":true}`, int64(k.claim.Known().Frames)-1))
			_ = s.conn.Close(websocket.StatusNormalClosure, "all of it was recorded before")
		})
		return
	}
	go s.acks.send()
	go func() {
		select {
		case <-k.claim.Superseded():
			s.fail(keys.ErrSuperseded)
		case <-k.claim.Done():
		}
	}()
}

// close ends the stream permanently if the client closed the connection normally. Otherwise the
// stream can be resumed.
func (k *keyed) close(ctx context.Context, stream *ingest.Stream, reason string) error {
	defer k.claim.Close()
	switch {
	case k.claim.Result() != nil:
		return nil
	case reason != "closed":
		_, err := stream.Interrupt(ctx, reason)
		return err
	}
	sum, err := stream.Close(ctx, reason)
	if err == nil {
		err = k.claim.Finish(ctx, sum.Frames, nil)
	}
	return err
}
