package search

import (
	"time"

	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// Order is the order of hits.
type Order string

// Orders.
const (
	Newest    Order = "newest"
	Relevance Order = "relevance"
)

// Orders lists all orders, the default first.
var Orders = []Order{Newest, Relevance}

// Query selects texts.
type Query struct {
	Tenant     string
	Expression *Expression
	From, To   time.Time             // half open, by when a text was first recorded; zero for no limit
	Sessions   []string              // only of these; nil for all
	Filter     *sessionfilter.Filter // only of sessions that pass it; nil for all
	Kinds      []schema.MessageKind
	Roles      []Role
	Tools      []string // only what was asked of these, or answered by them
	Agents     []string
	Order      Order
	Limit      int // hits on a page, at least 1
	Cursor     string
	Within     time.Duration // how long to search; 0 means DefaultWithin
}

// DefaultWithin is how long a search takes at most.
const DefaultWithin = 3 * time.Second

// Answer is a page of hits.
type Answer struct {
	Items []Hit `json:"items"`
	// Next is the cursor of the page after this one; null on the last. Pages by relevance have
	// none.
	Next *string `json:"next"`
	// Partial reports that not everything was searched, and Reason why. Texts that were recorded
	// at SearchedTo or later were searched.
	Partial    bool       `json:"partial"`
	Reason     *string    `json:"reason"`
	SearchedTo *time.Time `json:"searched_to"`
	// Scanned lists the parts of the query that are not in the index, for which texts were read
	// one by one.
	Scanned []string `json:"scanned"`
}

// Hit is a text that matches.
type Hit struct {
	SessionID      string    `json:"session_id"`
	SessionTitle   string    `json:"session_title"`
	SessionStarted time.Time `json:"session_started"`
	ID             string    `json:"id"` // of the message; of the span for its error
	Kind           string    `json:"kind"`
	Role           *Role     `json:"role"`
	Name           string    `json:"name"` // of the tool
	Agent          string    `json:"agent"`
	SpanID         string    `json:"span_id"`
	RunID          string    `json:"run_id"`
	Complete       bool      `json:"complete"` // no more will be added to the text
	// Position is that of the first frame of the text, in the stream StreamID with the number
	// Seq.
	Position string `json:"position"`
	StreamID string `json:"stream_id"`
	Seq      uint64 `json:"seq"`
	// At is when the place of the snippet arrived, OffsetMS that from the session's start.
	At       time.Time `json:"at"`
	OffsetMS float64   `json:"offset_ms"`
	Snippet  []Part    `json:"snippet"`
	// Matches is the number of matches in the text.
	Matches int      `json:"matches"`
	Score   *float64 `json:"score"` // null but in the order of relevance
	seen    int64    // when its first frame arrived, ns
}
