package ingesthttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/keys"
	"tapedeck/ingest/tap/copier"
	"tapedeck/internal/problem"
	"tapedeck/schema"
)

// keyed records a body under an idempotency key. It is the framer of the decoded bytes: it compares
// repeated bytes with the recorded bytes, and passes new bytes to the dialect's framer. It opens
// the stream when the first new byte, or the end of the body, arrives.
type keyed struct {
	rec    *recording
	claim  *keys.Claim
	open   func() (*ingest.Stream, error)
	framer ingest.Framer
	verify *keys.Verifier
	ctx    context.Context // of the request
	record context.Context // the context of recording; it may outlive ctx
	index  uint64          // of the next frame that the framer emits
	fed    uint64          // number of bytes of the log that the framer received
	seen   uint64          // number of bytes of the durable frames that the framer emitted
}

var _ ingest.Framer = (*keyed)(nil)

// claim claims the key of a request.
func (h *Handler) claim(rec *recording, ask *request, r *http.Request) *problem.Problem {
	if h.opts.Keys == nil {
		return noKeys()
	}
	ctx, cancel := context.WithTimeout(r.Context(), claimTimeout)
	defer cancel()
	so := &ask.stream
	tenant := so.Tenant
	if tenant == "" {
		tenant = ingest.DefaultTenant
	}
	claim, err := h.opts.Keys.Open(ctx, keys.Request{
		Tenant: tenant, Key: ask.key, FrameLimit: h.opts.FrameLimit, Offset: ask.offset,
		Params: keys.Params{Session: so.Session, Dialect: so.Dialect, Tags: so.Tags, Transport: so.Transport, Clock: so.Clock()},
	})
	if err != nil {
		return keyProblem(err)
	}
	known := claim.Known()
	rec.streamID = known.StreamID
	rec.offsets = copier.NewOffsets(known.Frames, int64(known.Bytes))
	so.Durable, so.Publisher, so.Passed = rec.offsets.Durable, claim, claim.Passed
	so.Digest = !known.Masked() // the stream of the log is not what was sent
	so.Resume = &ingest.Resume{
		StreamID: known.StreamID, NextSeq: known.Frames, Settled: known.Settled, Again: true, Attempt: claim.Attempt(),
	}
	rec.keyed = &keyed{
		rec: rec, claim: claim, framer: rec.framer, verify: claim.Verifier(),
		open: func() (*ingest.Stream, error) { return h.recorder.Open(*so) },
	}
	rec.framer = rec.keyed
	return nil
}

// until returns the context of a recording, which ends when another request claims its key.
func (rec *recording) until(ctx context.Context) context.Context {
	if rec.keyed == nil {
		return ctx
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		defer cancel(nil)
		select {
		case <-rec.keyed.claim.Superseded():
			cancel(keys.ErrSuperseded)
		case <-rec.keyed.claim.Done():
		case <-ctx.Done():
		}
	}()
	return ctx
}

// release closes the claim of the key, if there is one.
func (rec *recording) release() {
	if rec.keyed != nil {
		rec.keyed.claim.Close()
	}
}

// recordBody reads and records the body to its end.
func (k *keyed) recordBody(ctx, recordCtx context.Context, c ingest.Framer, record func(*schema.Frame) error) error {
	k.ctx, k.record = ctx, recordCtx
	err := copier.Copy(ctx, copier.NewReader(k.rec.from), c, func(f *schema.Frame) error {
		k.claim.Record(f)
		return record(f)
	})
	if err != nil {
		return err
	}
	switch {
	case k.verify.Left() > 0:
		return fmt.Errorf("%w: the body ends %d bytes before what is durable ends", keys.ErrMismatch, k.verify.Left())
	case k.claim.Result() != nil:
		return nil
	}
	if err := k.start(); err != nil {
		return err
	}
	err = k.framer.End(ingest.Now(), k.fresh(func(f *schema.Frame) error {
		k.claim.Record(f)
		return record(f)
	}))
	if err == nil && k.index < k.claim.Known().Frames {
		err = errInside
	}
	return err
}

// errInside reports new bytes that do not begin a new frame.
var errInside = fmt.Errorf("%w: the body continues inside a message that was recorded as its last", keys.ErrMismatch)

// Split implements ingest.Framer.
func (k *keyed) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	if n := min(k.verify.Left(), uint64(len(p))); n > 0 {
		if err := k.verify.AddBytes(p[:n]); err != nil {
			return fmt.Errorf("%w: the bytes before %d differ from those that are durable", err, k.rec.knownBytes())
		}
		p = p[n:]
	}
	if len(p) == 0 {
		return nil
	}
	if k.claim.Result() != nil {
		return fmt.Errorf("%w: the body was recorded to its end, with %d bytes, and this one is longer",
			keys.ErrMismatch, k.rec.knownBytes())
	}
	if err := k.start(); err != nil {
		return err
	}
	return k.framer.Split(p, at, k.fresh(emit))
}

// End implements ingest.Framer. It emits nothing: recordBody calls the framer's End, since an
// incomplete last frame counts only if the body was read to its end.
func (k *keyed) End(int64, func(*schema.Frame) error) error { return nil }

func (rec *recording) knownBytes() uint64 { return rec.keyed.claim.Known().Bytes }

// fresh returns an emit function that skips the frames that are durable already.
func (k *keyed) fresh(emit func(*schema.Frame) error) func(*schema.Frame) error {
	known := k.claim.Known()
	return func(f *schema.Frame) error {
		i := k.index
		k.index++
		if i >= known.Frames {
			return emit(f)
		}
		k.seen += uint64(len(f.Raw))
		if k.index == known.Frames && k.seen != k.fed {
			return errInside
		}
		return nil
	}
}

// start opens the stream and passes the durable frames to the framer and the decoder again.
func (k *keyed) start() error {
	if k.rec.stream != nil {
		return nil
	}
	k.rec.timer.Stop() // reading a long log takes longer than the timeout for input
	defer k.rec.timer.Reset(k.rec.opts.Timeout)
	stream, err := k.open()
	if err != nil {
		return err
	}
	k.rec.stream = stream
	drop := k.fresh(func(*schema.Frame) error { return errors.New("more frames than were recorded") })
	err = k.claim.Replay(k.ctx, func(f *schema.Frame, sent keys.Sent) error {
		raw := standIn(f, sent)
		k.fed += uint64(len(raw))
		if err := k.framer.Split(raw, f.At, drop); err != nil {
			return err
		}
		return stream.Record(k.record, f)
	})
	if err == nil && k.claim.Attempt() > 0 {
		err = stream.Reopen(k.record)
	}
	return err
}

// end ends the stream and returns the response. err says why the body was not read to its end; it
// is nil if it was.
func (k *keyed) end(ctx context.Context, err error) (*Answer, *Failure) {
	rec := k.rec
	if r := k.claim.Result(); r != nil && err == nil {
		answer := &Answer{}
		if err := json.Unmarshal(r.Answer, answer); err != nil {
			return nil, rec.failure(http.StatusServiceUnavailable, err)
		}
		return answer, nil
	}
	if rec.stream == nil {
		return nil, rec.failure(keyStatus(err), err)
	}
	if ingest.IsDeleted(err) {
		return nil, k.deleted(err)
	}
	if err != nil {
		_, failed := rec.stream.Interrupt(ctx, copier.Reason(err))
		if ingest.IsDeleted(failed) {
			return nil, k.deleted(failed)
		}
		if failed != nil && keys.HTTPStatus(err) == 0 { // otherwise failed has the same cause
			err = errors.Join(err, failed)
		}
		return nil, rec.failure(keyStatus(err), err)
	}
	sum, err := rec.stream.Close(ctx, copier.Reason(nil))
	if ingest.IsDeleted(err) {
		return nil, k.deleted(err)
	}
	if err != nil {
		return nil, rec.failure(keyStatus(err), err)
	}
	rec.offsets.Durable(sum.Frames)
	if err := rec.checkDigest(sum); err != nil {
		return nil, rec.failure(keyStatus(err), err)
	}
	answer := rec.answer(sum)
	if err := k.claim.Finish(ctx, sum.Frames, answer); err != nil {
		return nil, rec.failure(keyStatus(err), err)
	}
	return answer, nil
}

// deleted returns the failure of a body whose session was deleted. Its key belongs to
// the deleted recording.
func (k *keyed) deleted(err error) *Failure {
	f := k.rec.deleted(err)
	f.Hint = keys.DeletedHint
	return f
}
