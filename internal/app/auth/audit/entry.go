package audit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Outcome is how an action ended.
type Outcome string

// The outcomes.
const (
	Begun   Outcome = "begun"   // and no end is known: the server ended meanwhile, or it goes on
	Done    Outcome = "done"    // an answer that goes on, like a replay, has begun
	Refused Outcome = "refused" // the principal may not
	Invalid Outcome = "invalid" // the request was not valid, or what it is about does not exist
	Failed  Outcome = "failed"
)

// Outcomes lists all outcomes.
var Outcomes = []Outcome{Begun, Done, Refused, Invalid, Failed}

// OutcomeOf returns the outcome of an HTTP status.
func OutcomeOf(status int) Outcome {
	switch {
	case status < http.StatusBadRequest:
		return Done
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Refused
	case status < http.StatusInternalServerError:
		return Invalid
	}
	return Failed
}

// Principal is who did something.
type Principal struct {
	Kind string `json:"kind"` // "token", "user", "share", "local"; "server" for what it does by itself; "" if unknown
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ServerItself is the principal of what a server does without a request.
var ServerItself = Principal{Kind: "server", Name: "server"}

// Entry is an entry of the log. Log fills in ID and At if they are left out.
type Entry struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`     // when the request arrived
	Tenant    string    `json:"tenant"` // that it is about; "*" for all, "" if none is known
	Principal Principal `json:"principal"`
	Remote    string    `json:"remote"` // address of the client
	Action    Action    `json:"action"`
	Kind      string    `json:"kind"`   // of the object
	Object    string    `json:"object"` // its id or name
	// Detail says more about what was done, in a form that is fixed by the program: which
	// scopes, which format. It never holds recorded content.
	Detail    string  `json:"detail"`
	Outcome   Outcome `json:"outcome"`
	Status    int     `json:"status"` // HTTP status of the answer; 0 without one
	RequestID string  `json:"request_id"`
}

// Of returns an entry of what happened outside of a request.
func Of(tenant string, by Principal, a Action, object string, o Outcome) Entry {
	return Entry{Tenant: tenant, Principal: by, Action: a, Object: object, Outcome: o}
}

// textLimit bounds texts of an entry that a client chose, bytes.
const textLimit = 512

// complete fills in what is left out, and bounds texts.
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

// bound returns valid UTF-8 of textLimit bytes at most.
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
	_, _ = rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}

type contextKey struct{}

// With returns a context with the entry of a request.
func With(ctx context.Context, e *Entry) context.Context {
	return context.WithValue(ctx, contextKey{}, e)
}

// From returns the entry of a request, for its handler to set Object, Kind, Detail, Tenant or
// Principal before it begins its answer. Outside of an audited request it returns one that is not recorded.
func From(ctx context.Context) *Entry {
	if e, _ := ctx.Value(contextKey{}).(*Entry); e != nil {
		return e
	}
	return &Entry{}
}
