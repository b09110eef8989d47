package audit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"tapedeck/internal/problem"
)

// Outcome is how an action ended.
type Outcome string

// The outcomes.
const (
	Begun   Outcome = "begun"   // its end is not known: the server stopped meanwhile, or the action continues
	Done    Outcome = "done"    // also for an answer that has begun and continues, like a replay
	Refused Outcome = "refused" // the principal does not have the right
	Invalid Outcome = "invalid" // the request was invalid, or its object does not exist
	Failed  Outcome = "failed"
	Aborted Outcome = "aborted" // the client disconnected before the answer began
)

// Outcomes lists all outcomes.
var Outcomes = []Outcome{Begun, Done, Refused, Invalid, Failed, Aborted}

// OutcomeOf returns the outcome of an HTTP status.
func OutcomeOf(status int) Outcome {
	switch {
	case status < http.StatusBadRequest:
		return Done
	case status == problem.StatusClientLeft:
		return Aborted
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Refused
	case status < http.StatusInternalServerError:
		return Invalid
	}
	return Failed
}

// DryRun is the Detail of a request that changes nothing.
const DryRun = "dry run"

// Principal is who performed an action.
type Principal struct {
	Kind string `json:"kind"` // "token", "user", "share", "local"; "server" for an action without a request; "" if unknown
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ServerItself is the principal of actions that a server performs without a request.
var ServerItself = Principal{Kind: "server", Name: "server"}

// Entry is an entry of the log. Log sets ID and At if they are empty.
type Entry struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`     // when the request arrived
	Tenant    string    `json:"tenant"` // tenant of the object; "*" for all, "" if unknown
	Principal Principal `json:"principal"`
	Remote    string    `json:"remote"` // address of the client
	Action    Action    `json:"action"`
	Kind      string    `json:"kind"`   // of the object
	Object    string    `json:"object"` // its id or name
	// Detail describes the action further in a fixed form, such as its scopes or its format. It
	// never contains recorded content.
	Detail    string  `json:"detail"`
	Outcome   Outcome `json:"outcome"`
	Status    int     `json:"status"` // HTTP status of the answer; 0 without one
	RequestID string  `json:"request_id"`
	// Continues reports that the action of an accepted request continues after the answer. The
	// component that carries it out records its end; until then its outcome is Begun.
	Continues bool `json:"-"`
}

// Of returns an entry for an action outside of a request.
func Of(tenant string, by Principal, a Action, object string, o Outcome) Entry {
	return Entry{Tenant: tenant, Principal: by, Action: a, Object: object, Outcome: o}
}

// textLimit bounds the texts of an entry that a client chooses, bytes.
const textLimit = 512

// complete sets missing fields, and bounds texts.
func (e *Entry) complete(now time.Time) {
	if e.ID == "" {
		e.ID = NewID()
	}
	if e.At.IsZero() {
		e.At = now
	}
	e.At = e.At.UTC()
	if e.Kind == "" {
		e.Kind = e.Action.Kind()
	}
	for _, text := range []*string{&e.Tenant, &e.Principal.ID, &e.Principal.Name, &e.Remote, &e.Object, &e.Detail, &e.RequestID} {
		*text = bound(*text)
	}
}

// bound returns valid UTF-8 of at most textLimit bytes.
func bound(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= textLimit {
		return text
	}
	end := textLimit - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// NewID returns an id for an entry or a request: 96 random bits in hexadecimal.
func NewID() string {
	var id [12]byte
	_, _ = rand.Read(id[:]) // crypto/rand does not return errors
	return hex.EncodeToString(id[:])
}

type contextKey struct{}

// With returns a context with the entry of a request.
func With(ctx context.Context, e *Entry) context.Context {
	return context.WithValue(ctx, contextKey{}, e)
}

// From returns the entry of a request. The handler may set Object, Kind, Detail, Tenant or
// Principal before it begins its answer. Outside of an audited request From returns an entry that
// is not recorded.
func From(ctx context.Context) *Entry {
	if e, _ := ctx.Value(contextKey{}).(*Entry); e != nil {
		return e
	}
	return &Entry{}
}
