package ingesthttp

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/keys"
	"tapedeck/ingest/tap/copier"
	"tapedeck/internal/problem"
	"tapedeck/internal/quota"
	"tapedeck/schema"
)

// Answer is the response to a client whose body was recorded. All of the body is durable.
type Answer struct {
	StreamID string   `json:"stream_id"`
	Frames   uint64   `json:"frames"`
	Bytes    uint64   `json:"bytes"` // of the decoded body
	Sessions []string `json:"sessions"`
	// SessionCount is the number of sessions; Sessions lists the first ingest.SessionLimit
	// sessions.
	SessionCount int    `json:"session_count"`
	Dialect      string `json:"dialect"`
	// Rejected lists what was not recorded. It is always empty here; a Failure has a Rejection.
	Rejected []Rejection `json:"rejected"`
	// Marked counts the frames with a mark, by the name of the mark ("not_json", "invalid_utf8",
	// "oversize" …). It has no zero counts.
	Marked map[string]uint64 `json:"marked"`
}

// Rejection names the first frame of a body that was not recorded.
type Rejection struct {
	Line   uint64 `json:"line"` // the frame's number, from 1: a frame is a line or an SSE event
	Reason string `json:"reason"`
}

// answer returns the response to a body of which every frame is durable.
func (rec *recording) answer(sum ingest.Summary) *Answer {
	_, bytes := rec.offsets.Get() // the summary counts bytes after masking
	a := &Answer{
		StreamID: sum.StreamID, Frames: sum.Frames, Bytes: uint64(bytes), Sessions: sum.Sessions,
		SessionCount: sum.SessionCount, Dialect: sum.Dialect, Rejected: []Rejection{}, Marked: map[string]uint64{},
	}
	if a.Sessions == nil {
		a.Sessions = []string{}
	}
	c := sum.Counters
	for _, of := range []struct {
		flag  schema.Flags
		count uint64
	}{
		{schema.FlagNotJSON, c.NotJSON}, {schema.FlagInvalidUTF8, c.InvalidUTF8}, {schema.FlagOversize, c.Oversize},
		{schema.FlagUnknownType, c.Unknown}, {schema.FlagEventGap, c.Lost}, {schema.FlagEventRepeat, c.Repeated},
		{schema.FlagEventBack, c.Back}, {schema.FlagBadChecksum, sum.BadChecksum}, {schema.FlagTooDeep, sum.TooDeep},
	} {
		if of.count > 0 {
			a.Marked[of.flag.String()] = of.count
		}
	}
	return a
}

func (a *Answer) write(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, "application/json", http.StatusOK, a)
}

// Failure is the problem response for a body that was not recorded to its end. It has the numbers
// of durable frames and bytes: the client continues from there, with a new body. Frames after the
// durable ones may have been recorded as well.
type Failure struct {
	problem.Problem
	StreamID      string      `json:"stream_id"`
	DurableFrames uint64      `json:"durable_frames"`
	DurableBytes  int64       `json:"durable_bytes"` // of the decoded body
	Rejected      []Rejection `json:"rejected"`
}

// retryAfter is the Retry-After of a response to a client whose frames were not recorded.
const retryAfter = 5 * time.Second

func (rec *recording) failure(status int, err error) *Failure {
	f := &Failure{Problem: problem.Problem{Title: "Body not recorded to its end", Status: status},
		StreamID: rec.streamID}
	f.DurableFrames, f.DurableBytes = rec.offsets.Get()
	f.Detail = keys.Detail(err)
	f.Rejected = []Rejection{{Line: f.DurableFrames + 1, Reason: f.Detail}}
	f.Hint = "Send the body again from byte durable_bytes on: everything before it is recorded."
	if rec.decoding != nil {
		f.Hint = "Everything before byte durable_bytes of the decoded body is recorded. Send the rest of the decoded body, " +
			"encoded or without Content-Encoding."
	}
	if rec.keyed != nil {
		f.Hint = keyHint(status)
	}
	if coding, ok := errors.AsType[*copier.CodingError](err); ok {
		f.Hint = "The body is cut off or is not valid " + coding.Coding + ": encode it anew. " + f.Hint
	}
	if limit, ok := errors.AsType[*ingest.LimitError](err); ok {
		f.Hint = "Send the rest as a new body, from byte durable_bytes " + rec.ofBody() + "on, or start the server with a higher " +
			limit.Flag + "."
	}
	if _, large := errors.AsType[*ingest.TooLargeError](err); large {
		f.Hint = "Repeating the body does not help: a message of it is larger than what the server stores. Leave the message out, " +
			"or have the server's operator raise the limit."
	}
	if errors.Is(err, errDigest) {
		f.Title, f.Rejected = "Body has another digest", []Rejection{}
		f.Hint = "All of the body is recorded. If it is right, correct the parameter digest. " +
			"If it was damaged, delete the session and send the body again"
		if rec.keyed != nil {
			f.Hint += " under another key"
		}
		f.Hint += "."
	}
	if status == http.StatusServiceUnavailable {
		f.RetryAfter = retryAfter
	}
	if full, ok := errors.AsType[*problem.Problem](err); ok {
		f.Title, f.Detail, f.Limit, f.RetryAfter = full.Title, full.Detail, full.Limit, full.RetryAfter
		f.Rejected[0].Reason = f.Detail
	}
	if held, ok := errors.AsType[*quota.RateError](err); ok && status == http.StatusTooManyRequests {
		refused := held.Refuse()
		f.Title, f.Limit, f.RetryAfter = refused.Title, refused.Limit, refused.RetryAfter
		f.Hint = "Send slower, or have the server's operator raise --" + held.Limit + ". " + f.Hint
	}
	return f
}

// ofBody says which body the durable bytes are counted in, if that is not the body as it was sent.
func (rec *recording) ofBody() string {
	if rec.decoding == nil {
		return ""
	}
	return "of the decoded body "
}

// deleted returns the failure of a body whose session was deleted while it was recorded.
func (rec *recording) deleted(err error) *Failure {
	f := rec.failure(http.StatusGone, err)
	f.Title, f.DurableFrames, f.DurableBytes, f.Rejected = "Session deleted", 0, 0, []Rejection{}
	f.Hint = "Nothing of this body is recorded. Send all of it again to record it as a new session."
	return f
}

func (f *Failure) write(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
	writeJSON(w, problem.ContentType, f.Status, f)
}

func writeJSON(w http.ResponseWriter, media string, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers only
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	// A write error means that the client has disconnected, so there is no client to report the
	// error to.
	_, _ = w.Write(append(text, '\n'))
}
