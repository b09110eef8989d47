package upload

import (
	"bufio"
	"cmp"
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
	"tapedeck/schema/block"
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
	// framesLimit bounds the frames that a client states for a block: a recorder makes no block of more
	// (ingest.Settings.BlockFrames). Rates are charged by this number.
	framesLimit = 1 << 16
)

// request is one request with blocks.
type request struct {
	server *Server
	tenant string

	idle chan struct{} // closed when open is 0

	mu       sync.Mutex // guards all below
	blocks   inflight.Tracker[struct{}]
	open     int // blocks without an outcome; the body is one more while it is read
	refused  []refusal
	reason   string // why a block was not accepted, unless it was refused permanently
	answered bool   // later outcomes are ignored
}

// received is a block of a request.
type received struct {
	request *request
	index   uint64
	bytes   int
}

// serve accepts the blocks, waits until they are settled and answers.
func (q *request) serve(w http.ResponseWriter, r *http.Request) {
	q.idle, q.open = make(chan struct{}), 1
	why := q.take(w, r)
	q.mu.Lock()
	q.close()
	q.mu.Unlock()
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	if why == nil {
		// The client sends its next request when it has the status; all blocks of this one are in
		// flight to JetStream then.
		header.Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush() // the server closes a failed connection
	}
	q.answer(w, why, q.wait())
}

// take reads the blocks and passes them to the publisher. It returns why it stopped before the end
// of the body.
func (q *request) take(w http.ResponseWriter, r *http.Request) *problem.Problem {
	opts, control := &q.server.opts, http.NewResponseController(w)
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	body := bufio.NewReaderSize(http.MaxBytesReader(w, r.Body, opts.MaxBlock+bodyRoom), 32<<10)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(q.server.life, cancel)()
	left := opts.Busy // time that may be spent waiting for memory and for the publisher
	memory := blockMemory{grant: opts.Writers.Write()}
	defer memory.grant.Close()
	enter := func(size int64) error {
		started := time.Now()
		limited, end := context.WithTimeoutCause(ctx, max(left, 0), errBusy)
		defer end()
		err := memory.take(limited, size)
		left -= time.Since(started)
		return err
	}
	for n := 0; ; n++ {
		_ = control.SetReadDeadline(time.Now().Add(opts.Arrive.Or(slow.BodyTimeout)))
		p, err := readMessage(body, opts.MaxBlock, enter)
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, errNoMemory) && ctx.Err() != nil:
			return shuttingDown()
		case errors.Is(err, errNoMemory):
			_, _ = io.CopyN(io.Discard, body, bodyRoom) // otherwise the client may not be able to read the answer
			return noMemory()
		case err != nil:
			return unreadable(err)
		case n == mostBlocks:
			return &problem.Problem{Status: http.StatusRequestEntityTooLarge,
				Detail: fmt.Sprintf("The request has more than %d blocks.", mostBlocks)}
		}
		var why *problem.Problem
		if q.server.closing() || r.Context().Err() != nil {
			why = shuttingDown()
		} else {
			started := time.Now()
			b := q.add(&p)
			if err = q.check(&p); err == nil {
				limited, end := context.WithTimeoutCause(ctx, max(left, 0), errBusy)
				err = opts.Next.Publish(limited, p, b.settle)
				end()
			}
			if err != nil {
				b.settle(err)
				why = busy(err)
			}
			left -= time.Since(started)
		}
		memory.release()
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

// busy returns the problem of a block that the publisher did not accept for now; nil if the block
// was refused permanently.
func busy(err error) *problem.Problem {
	if ingest.IsPermanent(err) {
		return nil
	}
	p := &problem.Problem{
		Title: "Blocks are not taken for now", Status: http.StatusTooManyRequests, RetryAfter: time.Second, Detail: clip(err.Error()),
	}
	if held, ok := errors.AsType[*quota.RateError](err); ok {
		refused := held.Refuse()
		p.Limit, p.RetryAfter, p.Hint = refused.Limit, refused.RetryAfter, refused.Hint
	}
	return p
}

var errBusy = errors.New("the recorder is overloaded")

// check checks the fields that a client sends with a block and the head of the block, and assigns the
// block to its tenant. A block of a later version is refused for now: the recorder keeps it until the
// server reads that version.
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
	if p.Frames > framesLimit {
		return ingest.Permanent(fmt.Errorf("the block states %d frames; it may have %d", p.Frames, framesLimit))
	}
	if block.IsBundle(p.Data) {
		return ingest.Permanent(errors.New("the data is a bundle of blocks; each block has to be sent by itself"))
	}
	if err := block.Readable(p.Data); err != nil {
		return fmt.Errorf("%w; update the servers", err)
	}
	if size := block.BodySize(p.Data); size > block.MaxBody {
		return ingest.Permanent(fmt.Errorf("the block has %d bytes before compression; it may have %d", size, block.MaxBody))
	}
	return nil
}

// add adds a block to the blocks without an outcome.
func (q *request) add(b *ingest.EncodedBlock) received {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open++
	return received{q, q.blocks.Add(struct{}{}), len(b.Data)}
}

// settle records the outcome of a block. A block that was refused for now stays in flight: the
// client sends it and all later blocks again.
func (b received) settle(err error) {
	q := b.request
	q.server.count(b.bytes, err)
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.answered:
		return
	case err == nil || ingest.IsPermanent(err):
		q.blocks.Settle(b.index)
	case q.reason == "":
		q.reason = clip(err.Error())
	}
	if ingest.IsPermanent(err) {
		status := http.StatusUnprocessableEntity
		if ingest.IsDeleted(err) {
			status = http.StatusGone
		}
		q.refused = append(q.refused, refusal{Index: int(b.index), Status: status, Reason: clip(err.Error())})
	}
	q.close()
}

// close ends a block, or the reading of the body. mu is held.
func (q *request) close() {
	if q.open--; q.open == 0 {
		close(q.idle)
	}
}

// wait waits until all blocks have an outcome. If no outcome arrived for too long, it returns the
// reason.
func (q *request) wait() (late string) {
	opts := &q.server.opts
	timeout := time.NewTimer(opts.Confirm)
	defer timeout.Stop()
	select {
	case <-q.idle:
		return ""
	case <-timeout.C:
		return fmt.Sprintf("blocks are not durable after %v", opts.Confirm)
	case <-q.server.life.Done():
		return "the server is shutting down"
	}
}

// answer writes the outcome of the blocks. why is the problem for which not all blocks were read,
// late the reason why some have no outcome.
func (q *request) answer(w http.ResponseWriter, why *problem.Problem, late string) {
	opts := &q.server.opts
	q.mu.Lock()
	q.answered = true
	a := answer{Tenant: q.tenant, MaxBlock: opts.MaxBlock, AliveMS: opts.Alive.Milliseconds(), Refused: []refusal{},
		Settled: int(q.blocks.Settled()), Reason: cmp.Or(q.reason, late)}
	for _, r := range q.refused {
		if r.Index < a.Settled {
			a.Refused = append(a.Refused, r)
		}
	}
	q.mu.Unlock()
	body := any(a)
	if why != nil {
		w.Header().Set("Content-Type", problem.ContentType)
		if why.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.FormatInt(int64(math.Ceil(why.RetryAfter.Seconds())), 10))
		}
		w.WriteHeader(why.Status)
		body = failure{*why, a}
	}
	if err := json.NewEncoder(w).Encode(body); err != nil { // the client sends the blocks again
		opts.Log.Debug("upload: answer to a recorder not written", "error", err)
	}
}

// clip truncates a reason to reasonLimit.
func clip(reason string) string {
	if len(reason) > reasonLimit {
		return reason[:reasonLimit] + "…"
	}
	return reason
}
