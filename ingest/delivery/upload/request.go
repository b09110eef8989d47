package upload

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/inflight"
	"tapedeck/internal/problem"
	"tapedeck/internal/quota"
	"tapedeck/internal/slow"
)

const (
	// bodyRoom is how much a request may have besides one block of the largest size, bytes.
	bodyRoom = 8 << 20
	// mostBlocks bounds the blocks of a request.
	mostBlocks = 4096
	// idLimit bounds the id of a block, which becomes a message header, bytes.
	idLimit = 160
	// reasonLimit bounds a reason, bytes, to keep an answer small.
	reasonLimit = 512
)

// request is one request with blocks.
type request struct {
	server *Server
	tenant string

	mu       sync.Mutex // guards all below
	blocks   inflight.Tracker[struct{}]
	open     int  // blocks without an outcome
	read     bool // no more blocks are added
	idle     chan struct{}
	refused  []refusal
	reason   string // why a block was not accepted, unless it was refused permanently
	answered bool   // later outcomes are ignored
}

// serve accepts the blocks, waits until they are settled and answers.
func (q *request) serve(w http.ResponseWriter, r *http.Request) {
	q.idle = make(chan struct{})
	why := q.take(w, r)
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	if why == nil {
		// The client sends its next request when it has the status; all blocks of this one are in
		// flight to JetStream then.
		header.Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush() // the server closes a failed connection
	}
	a := q.wait()
	if why == nil {
		q.write(w, a)
		return
	}
	header.Set("Content-Type", problem.ContentType)
	if why.RetryAfter > 0 {
		header.Set("Retry-After", strconv.FormatInt(int64(math.Ceil(why.RetryAfter.Seconds())), 10))
	}
	w.WriteHeader(why.Status)
	q.write(w, failure{*why, a})
}

func (q *request) write(w io.Writer, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil { // the client sends the blocks again
		q.server.opts.Log.Debug("upload: answer to a recorder not written", "error", err)
	}
}

// take reads the blocks and passes them to the publisher. It returns why it stopped before the end
// of the body.
func (q *request) take(w http.ResponseWriter, r *http.Request) *problem.Problem {
	defer q.endRead()
	opts, control := &q.server.opts, http.NewResponseController(w)
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	body := bufio.NewReaderSize(http.MaxBytesReader(w, r.Body, opts.MaxBlock+bodyRoom), 32<<10)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(q.server.life, cancel)()
	left := opts.Busy // time that may be spent waiting for the publisher
	for n := 0; ; n++ {
		_ = control.SetReadDeadline(time.Now().Add(opts.Arrive.Or(slow.BodyTimeout)))
		block, err := readMessage(body, opts.MaxBlock)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return unreadable(err)
		}
		if n == mostBlocks {
			return &problem.Problem{Status: http.StatusRequestEntityTooLarge,
				Detail: fmt.Sprintf("The request has more than %d blocks.", mostBlocks)}
		}
		var why *problem.Problem
		if q.server.closing() || r.Context().Err() != nil {
			why = shuttingDown()
		} else {
			started := time.Now()
			why = q.publish(ctx, block, left)
			left -= time.Since(started)
		}
		if why != nil {
			_, _ = io.CopyN(io.Discard, body, bodyRoom) // otherwise the client may not be able to read the answer
			return why
		}
	}
}

// unreadable returns the problem of a body that is not a sequence of blocks.
func unreadable(err error) *problem.Problem {
	p := &problem.Problem{Title: "Blocks not readable", Status: http.StatusBadRequest, Detail: err.Error()}
	if _, tooLarge := errors.AsType[*tooLargeError](err); tooLarge {
		p.Status = http.StatusRequestEntityTooLarge
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		p.Status = http.StatusRequestEntityTooLarge
	}
	return p
}

// publish passes one block to the publisher. It returns a problem if the publisher does not accept
// the block for now.
func (q *request) publish(ctx context.Context, b ingest.EncodedBlock, left time.Duration) *problem.Problem {
	q.mu.Lock()
	index := q.blocks.Add(struct{}{})
	q.open++
	q.mu.Unlock()
	size := len(b.Data)
	settle := func(err error) {
		q.server.count(size, err)
		q.settle(index, err)
	}
	err := q.check(&b)
	if err == nil {
		ctx, cancel := context.WithTimeoutCause(ctx, max(left, 0), errBusy)
		defer cancel()
		err = q.server.opts.Next.Publish(ctx, b, settle)
	}
	if err == nil {
		return nil
	}
	settle(err)
	if ingest.IsPermanent(err) {
		return nil
	}
	busy := &problem.Problem{
		Title: "Blocks are not taken for now", Status: http.StatusTooManyRequests, RetryAfter: time.Second, Detail: clip(err.Error()),
	}
	if held, ok := errors.AsType[*quota.RateError](err); ok {
		refused := held.Refuse()
		busy.Limit, busy.RetryAfter, busy.Hint = refused.Limit, refused.RetryAfter, refused.Hint
	}
	return busy
}

var errBusy = errors.New("the recorder is overloaded")

// check checks the fields that a client sends with a block, and assigns the block to its tenant.
func (q *request) check(p *ingest.EncodedBlock) error {
	if p.Tenant == "" {
		p.Tenant = ingest.DefaultTenant
	}
	if q.tenant != "" {
		if p.Tenant != q.tenant && p.Tenant != ingest.DefaultTenant {
			return ingest.Permanent(fmt.Errorf("the token belongs to tenant %q, the block to %q: leave the "+
				"tenant out, use that tenant's token, or name the tenant by --as-tenant with a token of all tenants", q.tenant, p.Tenant))
		}
		p.Tenant = q.tenant
	}
	if err := ingest.CheckTenant(p.Tenant); err != nil {
		return ingest.Permanent(err)
	}
	if err := ingest.CheckSession(p.Session); err != nil {
		return ingest.Permanent(err)
	}
	if p.ID == "" || len(p.Data) == 0 {
		return ingest.Permanent(errors.New("a block needs an id and data"))
	}
	if len(p.ID) > idLimit || strings.ContainsFunc(p.ID, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ingest.Permanent(fmt.Errorf("the block's id %.80q is not one: %d printable ASCII characters at most",
			p.ID, idLimit))
	}
	return nil
}

// settle records the outcome of a block. A block that was refused for now stays in flight: the
// client sends it and all later blocks again.
func (q *request) settle(index uint64, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.answered:
		return
	case err == nil || ingest.IsPermanent(err):
		q.blocks.Settle(index)
	case q.reason == "":
		q.reason = clip(err.Error())
	}
	if ingest.IsPermanent(err) {
		status := http.StatusUnprocessableEntity
		if ingest.IsDeleted(err) {
			status = http.StatusGone
		}
		q.refused = append(q.refused, refusal{Index: int(index), Status: status, Reason: clip(err.Error())})
	}
	if q.open--; q.open == 0 && q.read {
		close(q.idle)
	}
}

func (q *request) endRead() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.read = true
	if q.open == 0 {
		close(q.idle)
	}
}

// wait returns the answer once all blocks have an outcome, or no outcome arrived for too long.
func (q *request) wait() answer {
	opts := &q.server.opts
	timeout := time.NewTimer(opts.Confirm)
	defer timeout.Stop()
	late := ""
	select {
	case <-q.idle:
	case <-timeout.C:
		late = fmt.Sprintf("blocks are not durable after %v", opts.Confirm)
	case <-q.server.life.Done():
		late = "the server is shutting down"
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.answered = true
	if q.reason == "" {
		q.reason = late
	}
	a := answer{Tenant: q.tenant, MaxBlock: opts.MaxBlock, AliveMS: opts.Alive.Milliseconds(), Refused: []refusal{},
		Reason: q.reason}
	a.Settled = int(q.blocks.Settled())
	for _, r := range q.refused {
		if r.Index < a.Settled {
			a.Refused = append(a.Refused, r)
		}
	}
	return a
}

// clip truncates a reason to reasonLimit.
func clip(reason string) string {
	if len(reason) > reasonLimit {
		return reason[:reasonLimit] + "…"
	}
	return reason
}
